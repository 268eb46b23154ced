#!/usr/bin/env python3
"""A mail server on 127.0.0.1 for tests, by aiosmtpd: it keeps messages instead of delivering them.

    tests/mcp/venv/bin/python tests/mail/smtp_server.py --folder DIR [--security none|starttls|tls] [--port PORT]
        [--user NAME --password TEXT [--without PLAIN]] [--name HOST]

It prints one line of JSON when it listens: {"port": …, "ca": "DIR/ca.pem"}; the authority is made at the start, and signs
a certificate of 127.0.0.1 and localhost, or of --name. It ends with its standard input, so that no server is left behind by a test.
With --user every message needs a login (PLAIN or LOGIN, without the one of --without).

DIR/messages.jsonl has one line of JSON for each text that was transferred whole, written before its reply:

    {"from": …, "to": […], "ehlo": …, "tls": true, "user": …, "data": the message, "reply": what was answered}

DIR/steps.jsonl has a line for each step: {"at": "mail", "reply": the one of a rule}; the last of a connection is "end".

DIR/rules.json, if it exists, says what to answer instead; it may change at any time. A list of

    {"at": "connect" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "text" | "quit",   which step
     "to": "ann@example.com",     only for this recipient (rcpt, data, text)
     "times": 1,                  only so often, then as without the rule
     "after": 2.5,                seconds before the reply
     "reply": "451 4.7.1 Later" | "hang" | "close"}     without it the usual one; lines are separated by \\n

    [{"at": "rcpt", "times": 1, "reply": "451 4.7.1 Greylisted"}]                      greylisting
    [{"at": "rcpt", "to": "gone@example.com", "reply": "550 5.1.1 No such user"}]      one of five refused
    [{"at": "data", "reply": "452 4.3.1 Disk full"}]                                   instead of 354
    [{"at": "text", "reply": "hang"}]                                                  no reply after the text
"""
import argparse
import asyncio
import datetime
import ipaddress
import json
import logging
import pathlib
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HANG, CLOSE = "hang", "close"


def certificate(folder, name):
    """Writes an authority to ca.pem; returns the context of a server with a certificate of it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, it)]) for it in ("Test authority", "localhost")]

    def signed(at, extensions):
        builder = x509.CertificateBuilder(issuer_name=names[0], subject_name=names[at], public_key=keys[at].public_key())
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, critical=is_critical)
        return builder.sign(keys[0], hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    authority = signed(0, [(x509.BasicConstraints(ca=True, path_length=0), True)])
    usual = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    alternatives = [x509.DNSName(name)] if name else usual
    own = signed(1, [(x509.SubjectAlternativeName(alternatives), False), (x509.BasicConstraints(ca=False, path_length=None), True)])
    key = keys[1].private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "ca.pem").write_bytes(authority)
    (folder / "server.pem").write_bytes(own + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    return context


class Log:
    """The files of the folder."""

    def __init__(self, folder):
        self.folder, self.used = folder, {}

    def write(self, file, line):
        with open(self.folder / file, "a") as out:
            out.write(json.dumps(line) + "\n")

    def rule(self, at, to):
        path = self.folder / "rules.json"
        rules = json.loads(path.read_text() or "[]") if path.exists() else []
        for rule in rules:
            key = json.dumps(rule, sort_keys=True)
            left = rule.get("times", self.used.get(key, 0) + 1) - self.used.get(key, 0)
            if rule["at"] == at and rule.get("to", to) == to and left > 0:
                self.used[key] = self.used.get(key, 0) + 1
                return rule
        return {}


class Keeper:
    """Keeps what was transferred whole."""

    async def handle_DATA(self, server, session, envelope):
        reply = await server.reply("text", "250 2.0.0 Accepted for tests")
        server.log.write("messages.jsonl", {
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "ehlo": session.host_name,
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "user": session.auth_data if session.authenticated else None,
            "data": envelope.original_content.decode("utf-8", "surrogateescape"), "reply": reply,
        })
        await server.hang_or_close(reply)
        return lines(reply)


def lines(reply):
    return "\r\n".join(reply.split("\n"))


class Server(SMTP):
    def __init__(self, log, **options):
        self.log, self.recipient = log, None
        super().__init__(handler=Keeper(), **options)

    async def reply(self, at, usual=None):
        """The reply of a rule, else the usual one."""
        rule = self.log.rule(at, self.recipient)
        await asyncio.sleep(rule.get("after", 0))
        self.log.write("steps.jsonl", {"at": at, "reply": rule.get("reply", usual)})
        return rule.get("reply", usual)

    async def hang_or_close(self, reply):
        if reply == HANG:
            await asyncio.sleep(3600)
        elif reply == CLOSE:
            self.transport.abort()
            raise ConnectionResetError("a rule closes the connection")

    async def step(self, at, usual, argument):
        reply = await self.reply(at)
        await self.hang_or_close(reply)
        await (self.push(lines(reply)) if reply else usual(argument))

    async def _handle_client(self):
        reply = await self.reply("connect")
        if not reply:
            return await super()._handle_client()
        await self.hang_or_close(reply)
        await self.push(lines(reply))
        self.transport.close()

    def connection_lost(self, error):
        self.log.write("steps.jsonl", {"at": "end", "reply": None})
        super().connection_lost(error)

    async def smtp_EHLO(self, argument):
        await self.step("ehlo", super().smtp_EHLO, argument)

    async def smtp_AUTH(self, argument):
        await self.step("auth", super().smtp_AUTH, argument)

    async def smtp_MAIL(self, argument):
        await self.step("mail", super().smtp_MAIL, argument)

    async def smtp_RCPT(self, argument):
        self.recipient = argument.partition("<")[2].partition(">")[0]
        await self.step("rcpt", super().smtp_RCPT, argument)

    async def smtp_DATA(self, argument):
        await self.step("data", super().smtp_DATA, argument)

    async def smtp_QUIT(self, argument):
        await self.step("quit", super().smtp_QUIT, argument)


async def serve(given):
    log = Log(given.folder)
    context = certificate(given.folder, given.name) if given.security != "none" else None

    def sign_in(server, session, envelope, mechanism, login):
        right = (login.login.decode(), login.password.decode()) == (given.user, given.password)
        return AuthResult(success=right, handled=False, auth_data=login.login.decode())

    # Logins without TLS and failed handshakes are what some tests are about.
    warnings.simplefilter("ignore", UserWarning)
    logging.disable(logging.CRITICAL)
    options = {"hostname": "mail.test.example", "enable_SMTPUTF8": True, "ident": "Test server"}
    if given.user:
        options |= {"authenticator": sign_in, "auth_required": True, "auth_require_tls": given.security == "starttls"}
        options |= {"auth_exclude_mechanism": [given.without]}
    if given.security == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    loop = asyncio.get_running_loop()
    wrapped = context if given.security == "tls" else None
    server = await loop.create_server(lambda: Server(log, loop=loop, **options), "127.0.0.1", given.port, ssl=wrapped)
    line = {"port": server.sockets[0].getsockname()[1], "ca": str(given.folder / "ca.pem") if context else None}
    print(json.dumps(line), flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


def main():
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("--folder", type=pathlib.Path, required=True)
    wanted.add_argument("--security", choices=["none", "starttls", "tls"], default="none")
    wanted.add_argument("--port", type=int, default=0)
    wanted.add_argument("--user")
    wanted.add_argument("--password", default="")
    wanted.add_argument("--without")
    wanted.add_argument("--name")
    given = wanted.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(serve(given))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Upgrades a database with an owner, a session and a token, adds members, and goes back to the version before.

    tests/chaos/members_upgrade.py --old PATH [--new PATH] [--database postgres|sqlite|URL]

With the new version the owner stays owner; password, session and token work. On the version before, after the way
back, the owner's password, sessions and token work, also those that the new version made, and nobody else gets in:
no viewer, no admin, no owner who became an admin, and no owner who left. With the new version again all members
have their roles.

Exit code 0: all of it was seen. Standard library only; psql for PostgreSQL.
"""
import argparse
import http.cookiejar
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import lab

PASSWORD = "a walrus under 7 umbrellas"


class Person:
    """A browser with its cookies."""

    def __init__(self, base):
        self.base, self.csrf = base, None
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def send(self, method, path, body=None):
        """Status and JSON."""
        headers = {"Accept": "application/json", "Origin": self.base, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        if self.csrf:
            headers["X-CSRF-Token"] = self.csrf
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with self.opener.open(request) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        document = json.loads(text or b"{}")
        self.csrf = document.get("csrfToken", self.csrf)
        return status, document

    def sign_in(self, email):
        return self.send("POST", "/api/session", {"email": email, "password": PASSWORD})[0]

    def role(self):
        """The role in the session's account; the status without one."""
        status, document = self.send("GET", "/api/session")
        return document["user"].get("role", "no role") if status == 200 else status


class Trial:
    def __init__(self, programs, url):
        self.address = f"127.0.0.1:{lab.free_port()}"
        self.base = f"http://{self.address}"
        self.versions = {name: lab.Sightline(program, url, PUBLIC_BASE_URL=self.base, LIMITS__SIGN_INS_PER_MINUTE=1000, LIMITS__SIGN_INS_BURST=1000) for name, program in programs.items()}
        self.wrong = []

    def serve(self, version):
        """Ends the running version and serves with this one."""
        for it in self.versions.values():
            it.end()
        self.versions[version].start("serve", "--listen", self.address, "--no-worker")

    def expect(self, what, found, wanted):
        print(f"  {what}: {found}")
        if found != wanted:
            self.wrong.append(f"{what}: {found}, not {wanted}")

    def password(self, version, email):
        of = self.versions[version]
        subprocess.run([of.program, "account", "password", "--email", email], env=of.settings, input=PASSWORD, text=True, check=True, capture_output=True)

    def invite(self, owner, email, role):
        status, invitation = owner.send("POST", "/api/settings/invitations", {"email": email, "role": role})
        assert status == 201, (status, invitation)
        person = Person(self.base)
        link = invitation["link"].split("#")[1]
        status, document = person.send("POST", "/api/invitation/accept", {"link": link, "name": role, "password": PASSWORD})
        assert status == 201, (status, document)
        return person

    def token_works(self, token):
        request = urllib.request.Request(self.base + "/api/agent/v1/health", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as answer:
            return answer.status

    def run(self):
        owner, email = Person(self.base), "lab@example.com"
        _, token = self.versions["old"].account()
        self.password("old", email)
        self.serve("old")
        self.expect("old: the owner signs in", owner.sign_in(email), 200)

        self.versions["new"].run_command("migrate")
        self.serve("new")
        self.expect("new: role by the session of the old version", owner.role(), "owner")
        self.expect("new: token", self.token_works(token), 200)
        self.expect("new: the owner signs in", owner.sign_in(email), 200)
        members = {role: self.invite(owner, f"{role}@example.com", role) for role in ("viewer", "admin", "owner")}
        second = self.invite(owner, "second@example.com", "owner")
        ids = {it["email"]: it["id"] for it in owner.send("GET", "/api/settings/members")[1]["items"]}
        self.expect("new: an owner becomes an admin", owner.send("PATCH", f"/api/settings/members/{ids['second@example.com']}", {"role": "admin"})[0], 200)
        self.expect("new: an owner is removed", owner.send("DELETE", f"/api/settings/members/{ids['owner@example.com']}")[0], 200)
        second.sign_in("second@example.com")
        self.expect("new: role of the former owner", second.role(), "admin")

        self.serve("old")
        self.expect("old again: session that the new version made", owner.role(), "no role")
        self.expect("old again: the owner signs in", owner.sign_in(email), 200)
        self.expect("old again: token", self.token_works(token), 200)
        for role, person in [*members.items(), ("second", second)]:
            self.expect(f"old again: session of {role}", person.role(), 401)
            self.expect(f"old again: password of {role}", person.sign_in(f"{role}@example.com"), 401)

        self.serve("new")
        self.expect("new again: role by the session of the old version", owner.role(), "owner")
        for role, wanted in (("viewer", "viewer"), ("admin", "admin"), ("second", "admin")):
            person = Person(self.base)
            self.expect(f"new again: {role} signs in", person.sign_in(f"{role}@example.com"), 200)
            self.expect(f"new again: role of {role}", person.role(), wanted)
        self.expect("new again: the removed owner signs in", Person(self.base).sign_in("owner@example.com"), 401)

    def stop(self):
        for it in self.versions.values():
            it.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="a build of the version before")
    parser.add_argument("--new", help="a build of this version; a release build is made otherwise")
    parser.add_argument("--database", default="postgres")
    given = parser.parse_args()
    programs = {"old": given.old, "new": lab.program(given.new)}
    with lab.database(given.database) as url:
        trial = Trial(programs, url)
        try:
            trial.run()
        finally:
            trial.stop()
    for line in trial.wrong:
        print(f"  WRONG: {line}")
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

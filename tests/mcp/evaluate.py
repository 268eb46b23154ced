#!/usr/bin/env python3
"""Tasks in plain words, solved through the tools alone by a deterministic driver.

The driver knows what a model knows: descriptions, schemas, answers and errors. What it finds is checked
against the Agent API, which is read beside the tools. A task fails when its answer is wrong, or when it took
more calls or bytes than it may.

    evaluate.py --url http://127.0.0.1:8080 --token T [--stdio PATH_TO_SIGHTLINE]
"""

import argparse
import asyncio
import json
import sys
import time
import urllib.parse
import urllib.request
from contextlib import AsyncExitStack

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tasks import TASKS

TOOLS = 8


class Refused(Exception):
    """A call that was refused; holds the problem document."""

    def __init__(self, problem):
        super().__init__(problem.get("detail"))
        self.problem = problem


class Tools:
    """The tools, with a count of what they cost."""

    def __init__(self, client):
        self.client = client
        self.used = set()
        self.own_projects = []
        self.begin()

    def begin(self):
        self.calls = 0
        self.bytes = 0
        self.progress = []

    async def call(self, name, **arguments):
        """The content of an answer; raises Refused."""

        async def heard(progress, total, message):
            self.progress.append(progress)

        name = f"service_{name}"
        listens = {"progress_callback": heard} if "wait" in arguments else {}
        result = await self.client.call_tool(name, arguments, **listens)
        self.calls += 1
        # Clients show their model the one or the other: both are counted.
        self.bytes += sum(len(it.text.encode()) for it in result.content)
        self.bytes += len(json.dumps(result.structured_content or {}, separators=(",", ":")))
        self.used.add(name)
        if result.is_error:
            raise Refused(json.loads(result.content[-1].text))
        assert json.loads(result.content[-1].text) == result.structured_content
        return result.structured_content

    async def refused(self, name, **arguments):
        """The first error of a call."""
        try:
            await self.call(name, **arguments)
        except Refused as refused:
            return refused.problem["errors"][0]
        raise AssertionError(f"{name} {arguments} was taken")

    async def rows(self, name, **arguments):
        """All rows of a list, page by page."""
        rows = []
        while True:
            page = await self.call(name, **arguments)
            rows += page.get("items", [])
            if "nextCursor" not in page:
                return rows
            arguments["cursor"] = page["nextCursor"]


class Api:
    """The Agent API, which says what is right."""

    def __init__(self, url, token):
        self.base = f"{url}/api/agent/v1"
        self.token = token

    def get(self, path, **query):
        address = f"{self.base}{path}"
        if query:
            address += "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def rows(self, path, **query):
        """All rows of a list, page by page."""
        rows, more = [], {}
        while True:
            page = self.get(path, **query, **more)
            rows += page["items"]
            if page["nextCursor"] is None:
                return rows
            more = {"cursor": page["nextCursor"]}


async def connected(stack, options):
    """A client, over HTTP or over the bridge."""
    if options.stdio:
        environment = {"SIGHTLINE_URL": options.url, "SIGHTLINE_TOKEN": options.token}
        server = StdioServerParameters(command=options.stdio, args=["mcp"], env=environment)
        return await stack.enter_async_context(Client(stdio_client(server)))
    headers = {"Authorization": f"Bearer {options.token}"}
    http = await stack.enter_async_context(create_mcp_http_client(headers=headers))
    transport = streamable_http_client(f"{options.url}/mcp", http_client=http)
    return await stack.enter_async_context(Client(transport))


async def solved(task, tools, api):
    """Solves one task; says what went wrong, or nothing."""
    tools.begin()
    try:
        answer = await task.solve(tools)
        task.check(api, answer)
    except (AssertionError, Refused, KeyError, IndexError, StopIteration, TypeError, AttributeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    if tools.calls > task.calls:
        return f"took {tools.calls} calls, may take {task.calls}"
    if tools.bytes > task.bytes:
        return f"read {tools.bytes} bytes, may read {task.bytes}"
    return None


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--stdio", help="the program, to go through its bridge")
    options = parser.parse_args()
    failed = 0
    async with AsyncExitStack() as stack:
        client = await connected(stack, options)
        tools, api = Tools(client), Api(options.url, options.token)
        listed = await client.list_tools()
        assert len(listed.tools) == TOOLS and client.instructions
        for task in TASKS:
            began = time.monotonic()
            wrong = await solved(task, tools, api)
            failed += wrong is not None
            took = round(1_000 * (time.monotonic() - began))
            print(f"{'FAILED' if wrong else 'ok':6} {tools.calls:3} calls {tools.bytes:6} bytes {took:6} ms  {task.words}")
            if wrong:
                print(f"       {wrong}")
        for project in tools.own_projects:
            await tools.call("update_project", projectId=project, status="deactivated")
        unused = {it.name for it in listed.tools} - tools.used
        assert not unused, f"never used: {unused}"
    print(f"solved {len(TASKS) - failed} of {len(TASKS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

"""The tasks of the evaluation: their words, what they may cost, and how they are solved."""

import secrets
from dataclasses import dataclass
from typing import Awaitable, Callable

KIB = 1_024


@dataclass
class Task:
    words: str
    calls: int
    bytes: int
    solve: Callable[..., Awaitable[None]]


TASKS: list[Task] = []


def task(words, calls, kib=20):
    """Adds a task, with how many calls and KiB it may take."""

    def add(solve):
        TASKS.append(Task(words, calls, kib * KIB, solve))
        return solve

    return add


async def project_with(tools, result_type):
    """The first project that has results of a type, and what all its types say."""
    listed = await tools.call("list_projects", fields="domain,name")
    for project in listed["items"]:
        told = await tools.call("get_results", projectId=project["id"], type="all")
        if told["results"][result_type]["state"] == "ready":
            return project["id"], told["results"]
    raise AssertionError(f"no project has {result_type}")


async def new_project(tools, *keywords):
    """A project of our own, so that nobody else's is changed."""
    domain = f"task-{secrets.token_hex(4)}.example.com"
    return await tools.call("create_project", domain=domain, keywords=list(keywords))


@task("Which project lost most visibility, and by how much?", 8, 60)
async def lost_most(tools, api):
    listed = await tools.call("list_projects", fields="domain,lastAnalysisAt")
    changes = {}
    for project in listed["items"]:
        if "lastAnalysisAt" not in project:
            continue
        sov = await tools.call("get_results", projectId=project["id"], type="sov", fields="scope", limit=1)
        if "summary" in sov and "change30" in sov["summary"]:
            changes[project["id"]] = sov["summary"]["change30"]
    loser = min(changes, key=changes.get)
    truth = api.get("/results", type="sov", projectId=loser)["summary"]["change30"]
    assert changes[loser] == truth


@task("Add two keywords to a project and tell where they stand.", 5)
async def add_and_measure(tools, api):
    project = await new_project(tools)
    added = await tools.call("add_keywords", projectId=project["id"], keywords=["trail shoes", "wide shoes"])
    assert added["counts"]["created"] == 2
    job = await tools.call("run_analysis", type="rankCheck", projectId=project["id"], wait=120)
    assert job["status"] == "succeeded" and tools.progress, job
    told = await tools.call("get_results", projectId=project["id"], type="rankings", fields="keyword,position,state")
    assert told["provenance"] == "simulated"
    truth = api.get("/results", type="rankings", projectId=project["id"])["items"]
    positions = {it["keyword"]: it["position"] for it in truth}
    assert {it["keyword"]: it.get("position") for it in told["items"]} == positions


@task("Which links are broken on the home page?", 6, 30)
async def broken_on_the_home_page(tools, api):
    project, _ = await project_with(tools, "broken-links")
    content = await tools.call("get_results", projectId=project, type="content", fields="pageType")
    home = next(it["url"] for it in content["items"] if it.get("pageType") == "home")
    told = await tools.call("get_results", projectId=project, type="broken-links", url=home, fields="targetUrl,verdict,anchorText")
    truth = api.get("/results", type="broken-links", projectId=project, url=home)["items"]
    assert [it["targetUrl"] for it in told["items"]] == [it["targetUrl"] for it in truth]


@task("Which AI engine cites us least?", 4, 30)
async def cited_least(tools, api):
    project, _ = await project_with(tools, "ai-visibility")
    told = await tools.call("get_results", projectId=project, type="ai-visibility", fields="engine", limit=1)
    engines = told["summary"]["engines"]
    least = min(engines, key=lambda it: it.get("citationRate", 2))
    truth = api.get("/results", type="ai-visibility", projectId=project, limit=1)["summary"]["engines"]
    assert least["engine"] == min(truth, key=lambda it: 2 if it["citationRate"] is None else it["citationRate"])["engine"]


@task("What would asking the AI engines again cost? Do not start it.", 4, 30)
async def cost_of_all(tools, api):
    project, _ = await project_with(tools, "rankings")
    plan = await tools.call("run_analysis", type="aiVisibility", projectId=project, dryRun=True)
    assert plan["dryRun"] is True and float(plan["expectedCost"]["amount"]) >= 0
    before = api.get("/analyze", projectId=project, type="aiVisibility")["items"]
    assert all(it["status"] not in ("queued", "running") for it in before)


@task("For which keywords do two own pages compete?", 4, 30)
async def own_pages_compete(tools, api):
    project, _ = await project_with(tools, "cannibalization")
    told = await tools.call("get_results", projectId=project, type="cannibalization", fields="keyword,severity")
    truth = api.get("/results", type="cannibalization", projectId=project)["items"]
    assert [it["keyword"] for it in told["items"]] == [it["keyword"] for it in truth] and truth


@task("What are the three most valuable things to do, and why?", 4, 30)
async def first_things_to_do(tools, api):
    project, _ = await project_with(tools, "suggestions")
    told = await tools.call("get_results", projectId=project, type="suggestions", limit=3, fields="title,rationale,priorityScore")
    truth = api.get("/results", type="suggestions", projectId=project, limit=3)["items"]
    assert [it["rationale"] for it in told["items"]] == [it["rationale"] for it in truth]


@task("Who is the strongest competitor, and on how many keywords do we meet?", 4, 30)
async def strongest_competitor(tools, api):
    project, results = await project_with(tools, "competitors")
    name = results["competitors"]["summary"]["strongest"]
    told = await tools.call("get_results", projectId=project, type="competitors", fields="domain,commonKeywords", limit=5)
    ours = next(it for it in told["items"] if it["domain"] == name)
    truth = api.get("/results", type="competitors", projectId=project, limit=1)["items"][0]
    assert (ours["domain"], ours["commonKeywords"]) == (truth["domain"], truth["commonKeywords"])


@task("Measure how fast the pages are: which is slowest to show its largest part?", 6, 40)
async def slowest_page(tools, api):
    project, _ = await project_with(tools, "content")
    job = await tools.call("run_analysis", type="webVitals", projectId=project, wait=280)
    while job["status"] not in ("succeeded", "partial"):
        job = (await tools.call("run_analysis", jobId=job["id"], wait=280))["items"][0]
    told = await tools.rows("get_results", projectId=project, type="vitals", fields="formFactor,metrics.lcp.value")
    slowest = max(told, key=lambda it: it["metrics"]["lcp"]["value"])
    truth = api.get("/results", type="vitals", projectId=project)["items"]
    assert slowest["metrics"]["lcp"]["value"] == max(it["metrics"]["lcp"]["value"] for it in truth)


@task("A project was deactivated by mistake: bring it back.", 6)
async def bring_back(tools, api):
    project = await new_project(tools, "a")
    await tools.call("update_project", projectId=project["id"], status="deactivated")
    gone = await tools.call("list_projects", status="deactivated", search=project["domain"])
    back = await tools.call("update_project", projectId=gone["items"][0]["id"], status="active")
    assert back["status"] == "active"
    assert api.get(f"/projects/{project['id']}")["keywordCount"] == 1


@task("Set a priority whose name was misspelt, from the error alone.", 3)
async def mend_a_priority(tools, api):
    project = await new_project(tools)
    try:
        await tools.call("update_project", projectId=project["id"], priority="hihg")
        raise AssertionError("it was taken")
    except Exception as refused:
        error = refused.problem["errors"][0]
    await tools.call("update_project", projectId=project["id"], priority=error["didYouMean"])
    assert api.get(f"/projects/{project['id']}")["priority"] == "high"


@task("Count the keywords of a project that does not fit into one answer.", 12, 120)
async def count_them_all(tools, api):
    words = [f"shoes number {n}" for n in range(300)]
    project = await new_project(tools)
    await tools.call("add_keywords", projectId=project["id"], keywords=words)
    rows = await tools.rows("list_projects", projectId=project["id"], include="keywords", fields="text", limit=500)
    assert sorted(it["text"] for it in rows) == sorted(words)
    assert api.get(f"/projects/{project['id']}")["keywordCount"] == len(rows)


@task("Something was never measured: find out how to measure it, and do.", 6)
async def follow_next_actions(tools, api):
    project = await new_project(tools)
    told = await tools.call("get_results", projectId=project["id"], type="rankings")
    assert told["state"] == "neverRun"
    while told["state"] == "neverRun":
        action = told["nextActions"][0]
        arguments = dict(action["arguments"])
        if action["tool"] == "service_add_keywords":
            arguments["keywords"] = ["running shoes"]
        if action["tool"] == "service_run_analysis":
            arguments["wait"] = 120
        await tools.call(action["tool"].removeprefix("service_"), **arguments)
        told = await tools.call("get_results", projectId=project["id"], type="rankings", fields="position")
    assert told["state"] == "ready" and len(told["items"]) == 1
    assert api.get("/results", type="rankings", projectId=project["id"])["state"] == "ready"


@task("Create a project; the answer was lost, so send it again without making two.", 3)
async def create_safely(tools, api):
    key, domain = secrets.token_hex(8), f"task-{secrets.token_hex(4)}.example.com"
    first = await tools.call("create_project", domain=domain, idempotencyKey=key)
    again = await tools.call("create_project", domain=domain, idempotencyKey=key)
    assert first == again
    assert len(api.get("/projects", search=domain)["items"]) == 1


@task("How much structured data does the site have, and which pages have none?", 5, 30)
async def without_structured_data(tools, api):
    project, results = await project_with(tools, "schema")
    rows = await tools.rows("get_results", projectId=project, type="schema", fields="formats")
    without = [it["url"] for it in rows if not any(it["formats"].values())]
    summary = results["schema"]["summary"]
    assert len(without) == summary["pages"] - summary["pagesWithData"]
    truth = api.get("/results", type="schema", projectId=project)["items"]
    assert without == [it["url"] for it in truth if not any(it["formats"].values())]


@task("How visible will the site be in three weeks, and how sure is that?", 4, 30)
async def in_three_weeks(tools, api):
    project, _ = await project_with(tools, "forecast")
    told = await tools.call("get_results", projectId=project, type="forecast", limit=1, fields="target,points")
    last = told["items"][0]["points"][-1]
    truth = api.get("/results", type="forecast", projectId=project, limit=1)["items"][0]["points"][-1]
    assert (last["date"], last["lo80"], last["hi80"]) == (truth["date"], truth["lo80"], truth["hi80"])


@task("What share of voice have we, and who has the largest?", 4, 30)
async def share_of_voice(tools, api):
    project, results = await project_with(tools, "sov")
    told = await tools.call("get_results", projectId=project, type="sov", limit=1, fields="scope,domains.domain,domains.sov")
    record = api.get("/results", type="sov", projectId=project, limit=1)["items"][0]
    assert results["sov"]["summary"]["sov"] == record["sov"]
    leaders = [(it["domain"], it["sov"]) for it in told["items"][0]["domains"]]
    assert leaders[0] == (record["domains"][0]["domain"], record["domains"][0]["sov"])


@task("Which results stand above ours for our best keyword?", 6, 40)
async def above_ours(tools, api):
    project, _ = await project_with(tools, "serp")
    ranked = await tools.call("get_results", projectId=project, type="rankings", sort="position", limit=1, fields="keyword,absolutePosition")
    best = ranked["items"][0]
    page = await tools.call("get_results", projectId=project, type="serp", keywordId=best["keywordId"], fields="items.absolutePosition,items.domain")
    above = [it["domain"] for it in page["items"][0]["items"] if it["absolutePosition"] < best["absolutePosition"] and "domain" in it]
    record = api.get("/results", type="serp", projectId=project, keywordId=best["keywordId"])["items"][0]
    truth = [it["domain"] for it in record["items"] if it["absolutePosition"] < best["absolutePosition"] and it.get("domain")]
    assert above == truth


@task("Follow a keyword in AI answers; is there room for more?", 5)
async def follow_in_ai_answers(tools, api):
    project = await new_project(tools, "wide shoes")
    keyword = project["keywords"]["created"][0]
    changed = await tools.call("update_keyword", keywordId=keyword["id"], aiTracked=True)
    assert changed["aiTracked"] is True
    room = (await tools.call("get_models"))["allowance"]["aiTracked"]
    assert room == api.get("/models")["allowance"]["aiTracked"] and room["used"] < room["limit"]


@task("Report on a project: the figures of all types, and which of them are simulated.", 4, 40)
async def report(tools, api):
    project, _ = await project_with(tools, "ai-visibility")
    told = await tools.call("get_results", projectId=project, type="all")
    truth = api.get("/results", type="all", projectId=project)["results"]
    assert set(told["results"]) == set(truth) and len(truth) == 16
    for name, theirs in truth.items():
        assert told["results"][name].get("provenance") == theirs["provenance"], name
        assert theirs["summary"] is None or told["results"][name]["summary"], name
    # What was cut is told, and there for whoever asks for more.
    whole = await tools.call("get_results", projectId=project, type="all", maxBytes=65_536)
    assert "cut" not in whole, whole["cut"]

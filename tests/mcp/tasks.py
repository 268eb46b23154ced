"""The tasks of the evaluation: their words, what they may cost, how they are solved, and what is right.

A task is solved with the tools alone. Another function requests the right answer from the Agent API, which sees
the answer and never the tools.
"""

import secrets

KIB = 1_024


class Task:
    """A task: `solve(tools)` returns an answer, `check(api, answer)` says whether it is right."""

    def __init__(self, words, calls, kib, solve):
        self.words, self.calls, self.bytes, self.solve = words, calls, kib * KIB, solve
        self.check = None

    def checked(self, check):
        self.check = check
        return check


TASKS: list[Task] = []


def task(words, calls, kib=40):
    """Adds a task, with how many calls and KiB it may take."""

    def add(solve):
        TASKS.append(Task(words, calls, kib, solve))
        return TASKS[-1]

    return add


async def project_with(tools, result_type):
    """The first project that has results of a type, and what all its types say."""
    listed = await tools.call("list_projects", fields="domain,name,lastAnalysisAt", sort="createdAt", limit=5)
    for project in listed["items"]:
        response = await tools.call("get_results", projectId=project["id"], type="all")
        if response["results"][result_type]["state"] == "ready":
            return project["id"], response["results"]
    raise AssertionError(f"no project has {result_type}")


async def new_project(tools, *keywords):
    """A project of our own, so that no other is changed; it is archived at the end."""
    domain = f"task-{secrets.token_hex(4)}.example.com"
    project = await tools.call("create_project", domain=domain, keywords=list(keywords))
    tools.own_projects.append(project["id"])
    return project


@task("Which project lost most visibility this week, and by how much?", 8)
async def lost_most(tools):
    changes = {}
    for project in await tools.rows("list_projects", fields="domain,lastAnalysisAt"):
        if "lastAnalysisAt" not in project:
            continue
        sov = await tools.call("get_results", projectId=project["id"], type="sov", fields="scope", limit=1)
        if "change7" in sov.get("summary", {}):
            changes[project["id"]] = sov["summary"]["change7"]
    loser = min(changes, key=changes.get)
    return loser, changes[loser]


@lost_most.checked
def _(api, answer):
    changes = {}
    for project in api.rows("/projects"):
        records = api.rows("/results", type="sov", projectId=project["id"])
        whole = [it["change7"] for it in records if it["scope"] == "project"]
        changes |= {project["id"]: it for it in whole if it is not None}
    assert changes and answer == min(changes.items(), key=lambda it: it[1]), (answer, changes)


@task("Add two keywords to a project and tell where they stand.", 5)
async def add_and_measure(tools):
    project = (await new_project(tools))["id"]
    await tools.call("add_keywords", projectId=project, keywords=["trail shoes", "wide shoes"])
    job = await tools.call("run_analysis", type="rankCheck", projectId=project, wait=120)
    assert job["status"] == "succeeded" and tools.progress, job
    response = await tools.call("get_results", projectId=project, type="rankings", fields="keyword,position")
    return project, response["provenance"], {it["keyword"]: it.get("position") for it in response["items"]}


@add_and_measure.checked
def _(api, answer):
    project, provenance, positions = answer
    assert provenance == "simulated"
    truth = api.rows("/results", type="rankings", projectId=project)
    assert positions == {it["keyword"]: it["position"] for it in truth} and len(positions) == 2


@task("Which links are broken on the home page?", 6)
async def broken_on_the_home_page(tools):
    project, _ = await project_with(tools, "broken-links")
    domain = (await tools.call("list_projects", projectId=project, fields="domain"))["domain"]
    response = await tools.call(
        "get_results", projectId=project, type="broken-links", url=f"http://{domain}", fields="targetUrl,verdict"
    )
    return project, domain, {it["targetUrl"] for it in response["items"]}


@broken_on_the_home_page.checked
def _(api, answer):
    project, domain, targets = answer
    links = api.rows("/results", type="broken-links", projectId=project)
    truth = {it["targetUrl"] for it in links if it["url"] == f"http://{domain}/"}
    assert targets == truth and 0 < len(truth) < len(links)


@task("Which AI engine cites us least, and which never?", 4)
async def cited_least(tools):
    project, _ = await project_with(tools, "ai-visibility")
    # Of this type alone: in an answer of all types the list of engines may be cut.
    engines = (await tools.call("get_results", projectId=project, type="ai-visibility"))["summary"]["engines"]
    cited = {it["engine"]: it.get("citationRate") for it in engines}
    known = {name: rate for name, rate in cited.items() if rate is not None}
    return project, min(known, key=known.get), sorted(name for name, rate in known.items() if rate == 0)


@cited_least.checked
def _(api, answer):
    project, lowest_rate, never = answer
    engines = api.get("/results", type="ai-visibility", projectId=project, limit=1)["summary"]["engines"]
    known = [(it["citationRate"], it["engine"]) for it in engines if it["citationRate"] is not None]
    assert lowest_rate == min(known)[1] and never == sorted(name for rate, name in known if rate == 0)


@task("What would asking the AI engines again cost, and how many answers would that be? Do not start it.", 4)
async def cost_of_all(tools):
    project, _ = await project_with(tools, "ai-visibility")
    plan = await tools.call("run_analysis", type="aiVisibility", projectId=project, dryRun=True)
    return project, plan["expectedCost"]["amount"], {it["engine"]: it["answers"] for it in plan["engines"]}


@cost_of_all.checked
def _(api, answer):
    project, amount, answers = answer
    results = api.get("/results", type="ai-visibility", projectId=project, limit=1)
    assert sorted(answers) == sorted(it["engine"] for it in results["summary"]["engines"])
    # Sampling may end early: a plan states the maximum.
    assert sum(answers.values()) >= results["coverage"]["requested"] > 0, answers
    models = {it["id"]: it for it in api.get("/models")["items"]}
    prices = {name: models.get(name, {"pricePerAnswer": None})["pricePerAnswer"] or 0 for name in answers}
    cost = sum(answers[name] * float(prices[name]) for name in answers)
    assert abs(float(amount) - cost) < 0.005, (amount, cost)
    jobs = api.rows("/analyze", projectId=project, type="aiVisibility")
    assert all(it["status"] == "succeeded" for it in jobs)


@task("For which keywords do two own pages compete?", 4)
async def own_pages_compete(tools):
    project, _ = await project_with(tools, "cannibalization")
    response = await tools.call("get_results", projectId=project, type="cannibalization", fields="keyword,severity")
    return project, [it["keyword"] for it in response["items"]]


@own_pages_compete.checked
def _(api, answer):
    project, keywords = answer
    truth = api.rows("/results", type="cannibalization", projectId=project)
    assert keywords == [it["keyword"] for it in truth] and truth


@task("What are the three most valuable things to do, and why?", 4)
async def first_actions(tools):
    project, _ = await project_with(tools, "suggestions")
    response = await tools.call(
        "get_results", projectId=project, type="suggestions", limit=3, fields="title,rationale,priorityScore"
    )
    return project, [(it["title"], it["rationale"]) for it in response["items"]]


@first_actions.checked
def _(api, answer):
    project, response = answer
    truth = sorted(api.rows("/results", type="suggestions", projectId=project), key=lambda it: -it["priorityScore"])
    scores = {(it["title"], it["rationale"]): it["priorityScore"] for it in truth}
    assert [scores[it] for it in response] == [it["priorityScore"] for it in truth[:3]] and len(response) == 3


@task("Who is the strongest competitor, on how many keywords do we meet, and what is its share?", 4)
async def strongest_competitor(tools):
    project, results = await project_with(tools, "competitors")
    name = results["competitors"]["summary"]["strongest"]
    rows = await tools.rows("get_results", projectId=project, type="competitors", fields="domain,commonKeywords,sov")
    competitor = next(it for it in rows if it["domain"] == name)
    return project, competitor["domain"], competitor["commonKeywords"], competitor["sov"]


@strongest_competitor.checked
def _(api, answer):
    project, *response = answer
    competitors = api.rows("/results", type="competitors", projectId=project)
    businesses = [it for it in competitors if it["class"] in ("direct", "marketplace") and it["commonKeywords"] >= 3]
    truth = max(businesses, key=lambda it: it["competitorScore"])
    assert response == [truth["domain"], truth["commonKeywords"], truth["sov"]]


@task("Measure how fast the pages are: which is slowest to show its largest part?", 6)
async def slowest_page(tools):
    project, _ = await project_with(tools, "content")
    job = await tools.call("run_analysis", type="webVitals", projectId=project, wait=280)
    while job["status"] not in ("succeeded", "partial"):
        job = (await tools.call("run_analysis", jobId=job["id"], wait=280))["items"][0]
    rows = await tools.rows("get_results", projectId=project, type="vitals", fields="formFactor,metrics.lcp.value")
    return project, max((it["metrics"]["lcp"]["value"], it["url"]) for it in rows)


@slowest_page.checked
def _(api, answer):
    project, slowest = answer
    pages = api.rows("/results", type="vitals", projectId=project)
    assert slowest == max((it["metrics"]["lcp"]["value"], it["url"]) for it in pages)


@task("A project was deactivated by mistake: bring it back.", 6)
async def bring_back(tools):
    project = await new_project(tools, "a")
    await tools.call("update_project", projectId=project["id"], status="deactivated")
    gone = await tools.call("list_projects", status="deactivated", search=project["domain"])
    back = await tools.call("update_project", projectId=gone["items"][0]["id"], status="active")
    return back["id"]


@bring_back.checked
def _(api, project):
    truth = api.get(f"/projects/{project}")
    assert (truth["status"], truth["keywordCount"]) == ("active", 1)


@task("Set a priority whose name was misspelt, from the error alone.", 3)
async def mend_a_priority(tools):
    project = (await new_project(tools))["id"]
    error = await tools.refused("update_project", projectId=project, priority="hihg")
    assert error["argument"] == "priority" and "high" in error["allowed"], error
    await tools.call("update_project", projectId=project, priority=error["didYouMean"])
    return project


@mend_a_priority.checked
def _(api, project):
    assert api.get(f"/projects/{project}")["priority"] == "high"


@task("Find out which figures a result has, from the error alone, and read one.", 5)
async def find_a_name(tools):
    project, _ = await project_with(tools, "rankings")
    error = await tools.refused("get_results", projectId=project, type="rankings", fields="performanceScore")
    names = [it for it in error["allowed"] if it.startswith("visib") or it == "expectedCtr"]
    rows = await tools.rows("get_results", projectId=project, type="rankings", fields=",".join(names))
    return project, sum(it.get("expectedCtr", 0) for it in rows)


@find_a_name.checked
def _(api, answer):
    project, clicks = answer
    truth = sum(it["expectedCtr"] or 0 for it in api.rows("/results", type="rankings", projectId=project))
    assert abs(clicks - truth) < 1e-9 and truth > 0


@task("Count the keywords of a project that does not fit into one answer.", 12, 120)
async def count_them_all(tools):
    words = [f"shoes number {n}" for n in range(300)]
    project = (await new_project(tools))["id"]
    await tools.call("add_keywords", projectId=project, keywords=words)
    rows = await tools.rows("list_projects", projectId=project, include="keywords", fields="text", limit=500)
    assert sorted(it["text"] for it in rows) == sorted(words)
    return project, len(rows)


@count_them_all.checked
def _(api, answer):
    project, count = answer
    assert api.get(f"/projects/{project}")["keywordCount"] == count == 300


@task("Something was never measured: find out how to measure it, and do.", 6)
async def follow_next_actions(tools):
    project = (await new_project(tools))["id"]
    response = await tools.call("get_results", projectId=project, type="rankings")
    assert response["state"] == "neverRun"
    while response["state"] == "neverRun":
        action = response["nextActions"][0]
        arguments = dict(action["arguments"])
        if action["tool"] == "service_add_keywords":
            assert "keywords" not in arguments, "an example would be tracked"
            arguments["keywords"] = ["running shoes"]
        if action["tool"] == "service_run_analysis":
            arguments["wait"] = 120
        await tools.call(action["tool"].removeprefix("service_"), **arguments)
        response = await tools.call("get_results", projectId=project, type="rankings", fields="position")
    assert response["state"] == "ready"
    return project


@follow_next_actions.checked
def _(api, project):
    assert [it["keyword"] for it in api.rows("/results", type="rankings", projectId=project)] == ["running shoes"]


@task("Create a project; the answer was lost, so send it again without making two.", 3)
async def create_safely(tools):
    key, domain = secrets.token_hex(8), f"task-{secrets.token_hex(4)}.example.com"
    first = await tools.call("create_project", domain=domain, idempotencyKey=key)
    again = await tools.call("create_project", domain=domain, idempotencyKey=key)
    tools.own_projects.append(first["id"])
    assert first == again
    return domain


@create_safely.checked
def _(api, domain):
    assert len(api.rows("/projects", search=domain)) == 1


@task("How much structured data does the site have, which pages have none, and where is it wrong?", 5)
async def without_structured_data(tools):
    project, _ = await project_with(tools, "schema")
    rows = await tools.rows("get_results", projectId=project, type="schema", fields="formats,errors")
    without = sorted(it["url"] for it in rows if not any(it["formats"].values()))
    return project, without, sorted(it["url"] for it in rows if it["errors"])


@without_structured_data.checked
def _(api, answer):
    project, without, wrong = answer
    summary = api.get("/results", type="schema", projectId=project)["summary"]
    truth = api.rows("/results", type="schema", projectId=project)
    assert len(without) == summary["pages"] - summary["pagesWithData"]
    assert without == sorted(it["url"] for it in truth if not any(it["formats"].values()))
    assert wrong == sorted(it["url"] for it in truth if it["errors"] > 0)


@task("Which pages changed since the last audit?", 8)
async def changed_pages(tools):
    project, _ = await project_with(tools, "content-changes")
    job = await tools.call("run_analysis", type="siteAudit", projectId=project, wait=120)
    assert job["status"] == "succeeded", job
    response = await tools.call("get_results", projectId=project, type="content-changes", fields="changeClass,significance")
    return project, job["id"], response["state"], len(response["items"])


@changed_pages.checked
def _(api, answer):
    project, job, state, count = answer
    truth = api.get("/results", type="content-changes", projectId=project)
    assert (truth["jobId"], truth["state"], len(truth["items"])) == (job, state, count)


@task("How visible will the site be in three weeks, and how sure is that?", 4)
async def in_three_weeks(tools):
    project, _ = await project_with(tools, "forecast")
    response = await tools.call("get_results", projectId=project, type="forecast", limit=1, fields="target,points")
    last = response["items"][0]["points"][-1]
    return project, response["items"][0]["target"], last["date"], last["lo80"], last["hi80"]


@in_three_weeks.checked
def _(api, answer):
    project, target, *response = answer
    records = api.rows("/results", type="forecast", projectId=project)
    points = next(it["points"] for it in records if it["target"] == target == "visibilityIndex")
    assert response == [points[-1][name] for name in ("date", "lo80", "hi80")]


@task("Where will our best keyword stand?", 6)
async def best_keyword_later(tools):
    project, _ = await project_with(tools, "forecast")
    ranked = await tools.call(
        "get_results", projectId=project, type="rankings", sort="position", limit=1, fields="keyword,position"
    )
    keyword = ranked["items"][0]
    response = await tools.call(
        "get_results", projectId=project, type="forecast", keywordId=keyword["keywordId"], fields="target,points"
    )
    position = next(it for it in response["items"] if it["target"] == "position")
    return project, keyword["keyword"], position["points"][-1]["median"]


@best_keyword_later.checked
def _(api, answer):
    project, keyword, value = answer
    ranked = [it for it in api.rows("/results", type="rankings", projectId=project) if it["position"]]
    best = min(ranked, key=lambda it: it["position"])
    records = api.rows("/results", type="forecast", projectId=project)
    of_it = [it for it in records if it["target"] == "position" and it["keywordId"] == best["keywordId"]]
    assert (keyword, value) == (best["keyword"], of_it[0]["points"][-1]["median"])


@task("What share of voice have we, and who has the largest?", 4)
async def share_of_voice(tools):
    project, results = await project_with(tools, "sov")
    response = await tools.call(
        "get_results", projectId=project, type="sov", limit=1, fields="scope,domains.domain,domains.sov"
    )
    leader = response["items"][0]["domains"][0]
    return project, results["sov"]["summary"]["sov"], leader["domain"], leader["sov"]


@share_of_voice.checked
def _(api, answer):
    project, ours, leader, theirs = answer
    records = api.rows("/results", type="sov", projectId=project)
    whole = next(it for it in records if it["scope"] == "project")
    largest = max(whole["domains"], key=lambda it: it["sov"])
    assert (ours, leader, theirs) == (whole["sov"], largest["domain"], largest["sov"])


@task("Which results stand above ours for our best keyword?", 6)
async def above_ours(tools):
    project, _ = await project_with(tools, "serp")
    ranked = await tools.call(
        "get_results", projectId=project, type="rankings", sort="position", limit=1, fields="keyword,absolutePosition"
    )
    best = ranked["items"][0]
    page = await tools.call(
        "get_results",
        projectId=project,
        type="serp",
        keywordId=best["keywordId"],
        fields="items.absolutePosition,items.domain",
    )
    rows = page["items"][0]["items"]
    above = [it["domain"] for it in rows if it["absolutePosition"] < best["absolutePosition"] and "domain" in it]
    return project, best["keywordId"], above


@above_ours.checked
def _(api, answer):
    project, keyword, above = answer
    page = api.get("/results", type="serp", projectId=project, keywordId=keyword)["items"][0]
    ours = min(it["absolutePosition"] for it in page["items"] if it["isOwn"])
    assert above == [it["domain"] for it in page["items"] if it["absolutePosition"] < ours and it["domain"]]


@task("Follow a keyword in AI answers; is there room for more?", 5)
async def follow_in_ai_answers(tools):
    project = await new_project(tools, "wide shoes")
    keyword = project["keywords"]["created"][0]["id"]
    await tools.call("update_keyword", keywordId=keyword, aiTracked=True)
    quota = (await tools.call("get_models"))["allowance"]["aiTracked"]
    return project["id"], quota


@follow_in_ai_answers.checked
def _(api, answer):
    project, quota = answer
    assert [it["aiTracked"] for it in api.rows(f"/projects/{project}/keywords")] == [True]
    assert quota == api.get("/models")["allowance"]["aiTracked"] and quota["used"] < quota["limit"]


@task("Report on a project: the figures of all types, and which of them are simulated.", 4, 80)
async def report(tools):
    project, _ = await project_with(tools, "ai-visibility")
    response = await tools.call("get_results", projectId=project, type="all")
    # Truncation is reported, and the rest can be requested.
    whole = await tools.call("get_results", projectId=project, type="all", maxBytes=65_536)
    assert "cut" not in whole, whole["cut"]
    return project, response["results"], whole["results"]


@report.checked
def _(api, answer):
    project, response, whole = answer
    truth = api.get("/results", type="all", projectId=project)["results"]
    assert set(response) == set(whole) == set(truth) and len(truth) == 16
    for name, theirs in truth.items():
        assert response[name].get("provenance") == theirs["provenance"], name
        assert theirs["summary"] is None or response[name]["summary"], name
    engines, first, all_of_them = (
        [it["engine"] for it in results["ai-visibility"]["summary"]["engines"]] for results in (truth, response, whole)
    )
    # The first of them, where the list was cut.
    assert all_of_them == engines and first and first == engines[: len(first)], (first, all_of_them, engines)

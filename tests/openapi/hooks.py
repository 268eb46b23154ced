"""What a request needs that a schema cannot express. Without this, schemathesis would have to be configured to
accept 422 of good requests, and would then accept it for every other reason too."""
import datetime
import json
import os
import uuid

import schemathesis

# Projects of the account, set by tests/openapi/run.
PROJECTS = json.loads(os.environ["FUZZ_PROJECTS"])


def in_order(begin, end):
    """Whether a time or day ends after another begins; a day ends with its last moment."""
    if not isinstance(begin, str) or not isinstance(end, str):
        return True

    def moment(text, days):
        day = len(text) == 10
        read = datetime.datetime.fromisoformat(text.replace("z", "Z").replace("t", "T"))
        return (read.replace(tzinfo=read.tzinfo or datetime.timezone.utc) + datetime.timedelta(days=days * day))

    try:
        return moment(begin, 0) < moment(end, 1)
    except (ValueError, OverflowError):
        return False


# Parameters of GET /results that apply to one type alone.
OF_ONE_TYPE = ["keywordId", "url", "from", "to", "include", "history", "cursor", "sort", "fields"]


def keep_what_goes_together(case):
    """Removes members that the server refuses beside the others of the request."""
    query, body = case.query or {}, case.body if isinstance(case.body, dict) else {}
    operation = case.operation.definition.raw.get("operationId")
    if operation == "listAnalyses":
        for name in ["type", "status"] if "jobId" in query else ["wait"]:
            query.pop(name, None)
    elif operation == "getResults":
        # The names of fields and sort orders depend on the type.
        for name in OF_ONE_TYPE if query.get("type", "all") == "all" else ["fields", "sort"]:
            query.pop(name, None)
    elif operation == "startAnalysis":
        # The models of the account, and only with aiVisibility.
        body.pop("models", None)
    elif operation == "updateKeyword":
        # A page of the project's own sites, which the schema does not know.
        body.pop("targetUrl", None)


@schemathesis.hook
def before_call(context, case, **kwargs):
    """A cursor is signed by the server, so a generated one is left out of what is meant to be
    good. Of `from` and `to` no schema can express that the one is not after the other: then `to` is
    alone. An idempotency key belongs to one request, so each gets one of its own. For a header with a
    pattern that requires quotes, the coverage phase of 4.32.5 sends `0`, which the pattern does not
    admit; it gets a tag instead. A made-up tag is never that of the object, so half of the changes are
    sent without one; a made-up project is never there, so half of the analyses are of one that is."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    keep_what_goes_together(case)
    if case.query:
        case.query.pop("cursor", None)
        if not in_order(case.query.get("from"), case.query.get("to")):
            case.query.pop("from")
    generated = case.body.get("projectId") if isinstance(case.body, dict) else None
    if isinstance(generated, int) and generated % 2:
        case.body["projectId"] = PROJECTS[generated % len(PROJECTS)]
    if not case.headers:
        return
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    for name in ("If-Match", "If-None-Match"):
        if case.headers.get(name) == "0":
            case.headers[name] = '"0"'
    if len(case.headers.get("If-Match") or "") % 2:
        del case.headers["If-Match"]

#!/usr/bin/env python3
"""When schedules come round, by Python's zoneinfo and PyPI tzdata: crates/domain/testdata/schedule_times.csv.

    tests/oracles/schedules.py

Nothing of it reads a cron pattern: day after day is walked, and the local time of each is looked for. One that the
clock skips is the moment at which it continues, one that it repeats is the first of the two. Rows are around every
change of the clock of 2024 to 2027 in zones that change it at all hours, by half an hour, at midnight, and never.
A test of crates/domain/src/schedule/mod.rs compares each row with ours.
"""
import datetime as dt
import pathlib
import random

import text_corpus

text_corpus.in_virtual_environment("schedules", "tzdata==2025.2")
import zoneinfo  # noqa: E402

zoneinfo.reset_tzpath(to=[])

ZONES = [
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "Atlantic/Azores", "America/New_York", "America/Chicago",
    "America/Los_Angeles", "America/St_Johns", "America/Havana", "America/Santiago", "America/Nuuk", "America/Phoenix", "America/Sao_Paulo",
    "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Asia/Beirut", "Asia/Jerusalem",
    "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tokyo", "Africa/Cairo", "Antarctica/Troll",
]
TIMES = ["00:00", "00:30", "01:00", "01:30", "01:59", "02:00", "02:15", "02:30", "02:59", "03:00", "03:30", "12:00", "23:30", "23:59"]
WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
UTC = dt.timezone.utc
MINUTE = dt.timedelta(minutes=1)


def instant(day, hour, minute, zone):
    """The moment of a local time; if that is skipped, the moment of the transition."""
    local = dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
        return moment
    # Skipped: minute by minute from before the gap, until the wall clock is past it.
    moment -= dt.timedelta(hours=4)
    while moment.astimezone(zone).replace(tzinfo=None) < local.replace(tzinfo=None):
        moment += MINUTE
    return moment


def matches(days, day):
    kind, _, which = days.partition(":")
    return kind == "daily" or kind == "weekly" and WEEK[day.weekday()] == which or kind == "monthly" and day.day == int(which)


def next_time(days, time, zone, now):
    hour, minute = map(int, time.split(":"))
    day = now.astimezone(zone).date() - dt.timedelta(days=1)
    while True:
        if matches(days, day):
            moment = instant(day, hour, minute, zone)
            if moment > now:
                return moment
        day += dt.timedelta(days=1)


def changes(zone):
    """The transitions of a zone."""
    at, end = dt.datetime(2024, 1, 1, tzinfo=UTC), dt.datetime(2027, 12, 31, tzinfo=UTC)
    while at < end:
        later = at + dt.timedelta(hours=1)
        if at.astimezone(zone).utcoffset() != later.astimezone(zone).utcoffset():
            yield later
        at = later


def main():
    choose = random.Random(2026)
    rows = set()
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        moments = list(changes(zone)) + [dt.datetime(2026, choose.randint(1, 12), choose.randint(1, 28), choose.randint(0, 23), choose.randint(0, 59), tzinfo=UTC) for _ in range(4)]
        for moment in moments:
            for time in TIMES:
                local = moment.astimezone(zone)
                weekly, monthly = f"weekly:{WEEK[local.weekday()]}", f"monthly:{min(local.day, 28)}"
                days = choose.choice(["daily", "daily", weekly, monthly])
                now = moment + dt.timedelta(minutes=choose.choice([-1500, -721, -181, -90, -31, -1, 0, 1, 29, 61, 200]))
                rows.add((name, days, time, now.strftime("%FT%TZ"), next_time(days, time, zone, now).strftime("%FT%TZ")))
    place = pathlib.Path(__file__).parents[2] / "crates/domain/testdata/schedule_times.csv"
    place.write_text("zone,days,time,now,next\n" + "".join(",".join(row) + "\n" for row in sorted(rows)))
    print(f"{len(rows)} rows in {place}")


main()

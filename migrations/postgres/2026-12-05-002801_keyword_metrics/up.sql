-- What keyword research found for a tracked keyword, as JSON: volume, difficulty, cost per click, intent, and who said so
-- when. `search_volume` stays what was measured: simulated figures are here alone.
ALTER TABLE keywords ADD COLUMN metrics TEXT;

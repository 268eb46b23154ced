-- All suppliers so far answer for Google; whether they were simulated, the newest results say.
INSERT INTO rank_history (account_id, project_id, keyword_id, day, job_id, engine, provenance,
    measured_at, state, position, absolute_position, depth_checked, url, best_position, best_at, worst_position)
SELECT p.account_id, p.project_id, p.keyword_id, p.day, p.job_id, 'google', COALESCE(h.provenance, '"measured"'),
    p.measured_at, p.state, p.position, p.absolute_position, p.depth_checked, p.url,
    p.best_position, p.best_at, p.worst_position
FROM rank_points p
LEFT JOIN result_heads h ON h.account_id = p.account_id AND h.project_id = p.project_id
    AND h.result_type = 'rankings';

INSERT INTO rank_points (account_id, project_id, keyword_id, day, job_id, measured_at, state, position, absolute_position,
    depth_checked, url, best_position, best_at, worst_position)
SELECT account_id, project_id, keyword_id, day, job_id, measured_at, state, position, absolute_position,
    depth_checked, url, best_position, best_at, worst_position
FROM rank_history WHERE true ON CONFLICT DO NOTHING;
DELETE FROM rank_history;

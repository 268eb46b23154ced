//! The tables of both databases. A test (`tests/suite/schema.rs`) writes the part between the braces from the
//! migrations, and compares it with both databases.

macro_rules! tables {
    (
        tenants { $($tenant:ident $key:tt $columns:tt)+ }
        shared { $($shared:ident $shared_key:tt $shared_columns:tt)+ }
    ) => {
        tables!($($tenant $key $columns)+ $($shared $shared_key $shared_columns)+);

        /// Each has a column `account_id`, which every statement on them names; row-level security covers them.
        pub const TENANT_TABLES: [&str; [$(stringify!($tenant)),+].len()] = [$(stringify!($tenant)),+];
    };
    ($($table:ident $key:tt $columns:tt)+) => {
        $(diesel::table! {
            use diesel::sql_types::*;
            use crate::instant::Instant;

            $table $key $columns
        })+
        diesel::allow_tables_to_appear_in_same_query!($($table),+);
    };
}

tables! {
    tenants {
        account_event_heads (account_id) {
            account_id -> BigInt,
            last_seq -> BigInt,
            bytes -> BigInt,
        }

        accounts (account_id) {
            account_id -> BigInt,
            name -> Text,
            status -> Text,
            projects_limit -> BigInt,
            keywords_limit -> BigInt,
            keywords_per_project_limit -> BigInt,
            ai_tracked_limit -> BigInt,
            monthly_budget -> Nullable<BigInt>,
            projects_used -> BigInt,
            keywords_used -> BigInt,
            ai_tracked_used -> BigInt,
            report_defaults -> Text,
            created_at -> Instant,
            daily_budget -> Nullable<BigInt>,
            keyword_research_limit -> Nullable<BigInt>,
            audit_days -> Nullable<BigInt>,
        }

        ai_answers (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            project_id -> BigInt,
            job_id -> BigInt,
            keyword_id -> Nullable<BigInt>,
            engine -> Text,
            prompt_id -> Text,
            sample -> BigInt,
            answered_at -> Instant,
            body -> Binary,
        }

        ai_engine_uses (account_id, engine) {
            account_id -> BigInt,
            engine -> Text,
            last_used_at -> Instant,
        }

        ai_models (account_id, engine) {
            account_id -> BigInt,
            engine -> Text,
            active -> Bool,
            samples -> BigInt,
            prompts -> BigInt,
            country -> Nullable<Text>,
            language -> Nullable<Text>,
            web_search -> Bool,
            weight -> Double,
        }

        ai_tallies (account_id, project_id, engine, day, job_id, keyword_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            engine -> Text,
            day -> Date,
            job_id -> BigInt,
            keyword_id -> BigInt,
            body -> Binary,
        }

        api_tokens (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            name -> Text,
            scopes -> Text,
            last_four -> Text,
            created_by -> BigInt,
            created_at -> Instant,
            expires_at -> Nullable<Instant>,
            last_used_at -> Nullable<Instant>,
            revoked_at -> Nullable<Instant>,
            revoke_reason -> Nullable<Text>,
            rotated_from -> Nullable<BigInt>,
        }

        assignments (account_id, project_id, subject_kind, subject_key) {
            account_id -> BigInt,
            project_id -> BigInt,
            subject_kind -> Text,
            subject_key -> Text,
            user_id -> BigInt,
            assigned_by -> BigInt,
            assigned_at -> Instant,
            note -> Nullable<Text>,
        }

        audit_events (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            at -> Instant,
            actor -> Text,
            action -> Text,
            subject -> Nullable<BigInt>,
            detail -> Text,
            actor_id -> Nullable<BigInt>,
            actor_name -> Nullable<Text>,
            exact_action -> Nullable<Text>,
        }

        brands (account_id, project_id, domain) {
            account_id -> BigInt,
            project_id -> BigInt,
            domain -> Text,
            names -> Text,
            is_word -> Nullable<Bool>,
        }

        console_bindings (account_id, project_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            property -> Text,
            bound_at -> Instant,
            next_at -> Instant,
            held_until -> Nullable<Instant>,
            through_day -> Nullable<Date>,
            last_at -> Nullable<Instant>,
            last_failure -> Nullable<Text>,
            failures -> BigInt,
        }

        console_rows (account_id, span_id, ordinal) {
            account_id -> BigInt,
            span_id -> BigInt,
            ordinal -> BigInt,
            query_hash -> Nullable<BigInt>,
            query -> Nullable<Text>,
            page -> Nullable<Text>,
            country -> Nullable<Text>,
            device -> Nullable<Text>,
            clicks -> BigInt,
            impressions -> BigInt,
            position -> Nullable<Double>,
            place -> Nullable<BigInt>,
        }

        console_spans (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            project_id -> BigInt,
            cut -> Text,
            first_day -> Date,
            last_day -> Date,
            row_count -> BigInt,
            origin -> Text,
            label -> Text,
            imported_at -> Instant,
            byte_count -> Nullable<BigInt>,
        }

        content_plans (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            project_id -> BigInt,
            name -> Text,
            clustered_by -> Text,
            item_count -> BigInt,
            items -> Text,
            created_at -> Instant,
            updated_at -> Instant,
        }

        daily_spending (account_id, day) {
            account_id -> BigInt,
            day -> Date,
            reserved -> BigInt,
            spent -> BigInt,
        }

        deliveries (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            recipient -> Text,
            person_id -> Nullable<BigInt>,
            purpose -> Text,
            variables -> Text,
            link_target -> Nullable<BigInt>,
            state -> Text,
            created_at -> Instant,
            expires_at -> Instant,
            next_at -> Nullable<Instant>,
            attempt -> BigInt,
            handed_over_at -> Nullable<Instant>,
            ended_at -> Nullable<Instant>,
            reply -> Nullable<Text>,
        }

        events (account_id, seq) {
            account_id -> BigInt,
            seq -> BigInt,
            at -> Instant,
            measured_at -> Instant,
            kind -> Text,
            severity -> Text,
            project_id -> Nullable<BigInt>,
            subject -> Text,
            job_id -> Nullable<BigInt>,
            simulated -> Bool,
            dedupe_key -> Text,
            body -> Text,
        }

        findings (account_id, project_id, result_type, job_id, ordinal) {
            account_id -> BigInt,
            project_id -> BigInt,
            result_type -> Text,
            job_id -> BigInt,
            ordinal -> BigInt,
            keyword_id -> Nullable<BigInt>,
            url -> Nullable<Text>,
            url_hash -> Nullable<BigInt>,
            sort_value -> Nullable<Double>,
            measured_at -> Instant,
            record -> Text,
            packed -> Nullable<Binary>,
        }

        idempotency_records (account_id, idempotency_key) {
            account_id -> BigInt,
            idempotency_key -> Text,
            fingerprint -> Binary,
            token_id -> BigInt,
            status -> Integer,
            location -> Nullable<Text>,
            body -> Text,
            first_used_at -> Instant,
            etag -> Nullable<Text>,
        }

        ignored_suggestions (account_id, project_id, suggestion_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            suggestion_id -> Text,
            reason -> Nullable<Text>,
            ignored_at -> Instant,
        }

        invitations (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            email -> Text,
            role -> Text,
            projects -> Text,
            invited_by -> BigInt,
            created_at -> Instant,
            issued_at -> Instant,
            issued -> BigInt,
            expires_at -> Instant,
            ended_at -> Nullable<Instant>,
            end_reason -> Nullable<Text>,
        }

        jobs (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            project_id -> BigInt,
            kind -> Text,
            keywords -> Nullable<Text>,
            state -> Text,
            priority -> Integer,
            asked_by -> Text,
            dedupe_key -> Text,
            day -> Date,
            run_at -> Instant,
            expires_at -> Instant,
            attempt -> BigInt,
            crash_count -> BigInt,
            epoch -> BigInt,
            lease_epoch -> Nullable<BigInt>,
            lease_owner -> Nullable<Text>,
            lease_until -> Nullable<Instant>,
            deadline_at -> Nullable<Instant>,
            cancel_requested -> Bool,
            progress_done -> BigInt,
            progress_total -> BigInt,
            stages -> Text,
            cost_reserved -> BigInt,
            cost_spent -> BigInt,
            cost_calls -> BigInt,
            errors -> Text,
            created_at -> Instant,
            started_at -> Nullable<Instant>,
            finished_at -> Nullable<Instant>,
            models -> Nullable<Text>,
        }

        joined_accounts (account_id, user_id, joined_account_id) {
            account_id -> BigInt,
            user_id -> BigInt,
            joined_account_id -> BigInt,
        }

        journal_entries (account_id, job_id, sequence) {
            account_id -> BigInt,
            job_id -> BigInt,
            sequence -> BigInt,
            body -> Binary,
        }

        kept_pages (account_id, project_id, url_hash) {
            account_id -> BigInt,
            project_id -> BigInt,
            url_hash -> BigInt,
            url -> Text,
            visited_at -> Instant,
            etag -> Nullable<Text>,
            last_modified -> Nullable<Text>,
            body -> Binary,
            memory -> Text,
        }

        keyword_quotas (account_id, month) {
            account_id -> BigInt,
            month -> Date,
            used -> BigInt,
        }

        keyword_reservations (account_id, flight_id) {
            account_id -> BigInt,
            flight_id -> BigInt,
            month -> Date,
            day -> Date,
            most -> BigInt,
            until -> Instant,
        }

        keyword_searches (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            user_id -> BigInt,
            market_key -> Binary,
            bought_at -> Instant,
            searched_at -> Instant,
            expires_at -> Instant,
            keyword -> Text,
            country -> Text,
            language -> Text,
            provider -> Text,
            provenance -> Text,
            search_volume -> Nullable<BigInt>,
            ideas -> BigInt,
            body -> Binary,
        }

        keywords (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            project_id -> BigInt,
            text -> Text,
            normalized -> Text,
            country -> Text,
            language -> Text,
            device -> Text,
            location -> Text,
            ai_tracked -> Bool,
            status -> Text,
            target_url -> Nullable<Text>,
            tags -> Text,
            search_volume -> Nullable<BigInt>,
            latest_position -> Nullable<BigInt>,
            latest_url -> Nullable<Text>,
            latest_measured_at -> Nullable<Instant>,
            latest_state -> Nullable<Text>,
            row_version -> BigInt,
            created_at -> Instant,
            updated_at -> Instant,
            deactivated_at -> Nullable<Instant>,
            metrics -> Nullable<Text>,
        }

        latest_serps (account_id, project_id, keyword_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            keyword_id -> BigInt,
            job_id -> BigInt,
            measured_at -> Instant,
            serp -> Text,
            engine -> Nullable<Text>,
            provenance -> Nullable<Text>,
        }

        link_directory (hash) {
            hash -> Binary,
            purpose -> Text,
            account_id -> BigInt,
            target_id -> BigInt,
            expires_at -> Instant,
        }

        named_sites (account_id, project_id, domain) {
            account_id -> BigInt,
            project_id -> BigInt,
            domain -> Text,
            role -> Text,
            class -> Nullable<Text>,
            named_at -> Instant,
        }

        operators (account_id, user_id) {
            account_id -> BigInt,
            user_id -> BigInt,
            since -> Instant,
        }

        paid_calls (account_id, job_id, epoch, number) {
            account_id -> BigInt,
            job_id -> BigInt,
            epoch -> BigInt,
            number -> BigInt,
            step_hash -> BigInt,
            step -> Text,
            most -> BigInt,
            begun_at -> Instant,
            ended_at -> Nullable<Instant>,
            cost -> Nullable<BigInt>,
            answer -> Nullable<Binary>,
        }

        person_links (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            user_id -> BigInt,
            kind -> Text,
            email -> Nullable<Text>,
            created_at -> Instant,
            expires_at -> Instant,
            used_at -> Nullable<Instant>,
        }

        project_grants (account_id, user_id, project_id) {
            account_id -> BigInt,
            user_id -> BigInt,
            project_id -> BigInt,
            granted_by -> BigInt,
            granted_at -> Instant,
        }

        project_usage (account_id, project_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            keyword_rows -> BigInt,
            console_rows -> BigInt,
            console_bytes -> BigInt,
            plan_bytes -> BigInt,
        }

        projects (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            domain -> Text,
            domain_unicode -> Text,
            name -> Text,
            name_folded -> Text,
            search_text -> Text,
            status -> Text,
            client_name -> Nullable<Text>,
            category -> Nullable<Text>,
            tags -> Text,
            favorite -> Bool,
            priority -> Integer,
            workflow_status -> Text,
            assigned_to_name -> Nullable<Text>,
            report_recipients -> Text,
            report_settings -> Nullable<Text>,
            keyword_count -> BigInt,
            ai_tracked_count -> BigInt,
            last_analysis_at -> Nullable<Instant>,
            row_version -> BigInt,
            created_at -> Instant,
            updated_at -> Instant,
            deactivated_at -> Nullable<Instant>,
        }

        rank_history (account_id, project_id, keyword_id, day, job_id) {
            account_id -> BigInt,
            project_id -> BigInt,
            keyword_id -> BigInt,
            day -> Date,
            job_id -> BigInt,
            engine -> Text,
            provenance -> Text,
            measured_at -> Instant,
            state -> Text,
            position -> Nullable<BigInt>,
            absolute_position -> Nullable<BigInt>,
            depth_checked -> BigInt,
            url -> Nullable<Text>,
            own_places -> Nullable<Text>,
            best_position -> Nullable<BigInt>,
            best_at -> Nullable<Instant>,
            worst_position -> Nullable<BigInt>,
        }

        result_carries (account_id, project_id, result_type) {
            account_id -> BigInt,
            project_id -> BigInt,
            result_type -> Text,
            carried -> Text,
        }

        result_heads (account_id, project_id, result_type) {
            account_id -> BigInt,
            project_id -> BigInt,
            result_type -> Text,
            job_id -> BigInt,
            generated_at -> Instant,
            measured_at -> Instant,
            method_version -> Text,
            provider -> Text,
            provenance -> Text,
            requested -> BigInt,
            measured -> BigInt,
            failed -> BigInt,
            skipped -> BigInt,
            item_count -> BigInt,
            summary -> Text,
            warnings -> Text,
        }

        schedules (account_id, project_id, kind) {
            account_id -> BigInt,
            project_id -> BigInt,
            kind -> Text,
            days -> Text,
            time_of_day -> Text,
            zone -> Text,
            next_at -> Instant,
            last_at -> Nullable<Instant>,
            last_refusal -> Nullable<Text>,
        }

        session_directory (hash) {
            hash -> Binary,
            account_id -> BigInt,
            session_id -> BigInt,
        }

        sessions (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            user_id -> BigInt,
            created_at -> Instant,
            last_seen_at -> Instant,
            browser -> Nullable<Text>,
            network -> Text,
            device -> Nullable<Text>,
            in_account_id -> Nullable<BigInt>,
        }

        spending (account_id, month) {
            account_id -> BigInt,
            month -> Date,
            reserved -> BigInt,
            spent -> BigInt,
        }

        staged_findings (account_id, job_id, result_type, ordinal) {
            account_id -> BigInt,
            job_id -> BigInt,
            result_type -> Text,
            ordinal -> BigInt,
            keyword_id -> Nullable<BigInt>,
            url -> Nullable<Text>,
            url_hash -> Nullable<BigInt>,
            sort_value -> Nullable<Double>,
            measured_at -> Instant,
            record -> Text,
            packed -> Nullable<Binary>,
        }

        staged_pages (account_id, job_id, url_hash) {
            account_id -> BigInt,
            job_id -> BigInt,
            url_hash -> BigInt,
            url -> Text,
            visited_at -> Instant,
            etag -> Nullable<Text>,
            last_modified -> Nullable<Text>,
            sequence -> Nullable<BigInt>,
            memory -> Text,
        }

        suppressions (account_id, recipient, reason) {
            account_id -> BigInt,
            recipient -> Text,
            reason -> Text,
            created_at -> Instant,
        }

        token_directory (hash) {
            hash -> Binary,
            account_id -> BigInt,
            token_id -> BigInt,
        }

        user_directory (email) {
            email -> Text,
            account_id -> BigInt,
            user_id -> BigInt,
        }

        user_passwords (account_id, user_id) {
            account_id -> BigInt,
            user_id -> BigInt,
            hash -> Text,
            changed_at -> Instant,
            devices_from -> Nullable<Instant>,
        }

        users (account_id, id) {
            account_id -> BigInt,
            id -> BigInt,
            email -> Text,
            name -> Text,
            created_at -> Instant,
            role -> Nullable<Text>,
            invited_by -> Nullable<BigInt>,
            left_at -> Nullable<Instant>,
        }
    }

    shared {
        account_console_fetches (account_id) {
            account_id -> BigInt,
            next_at -> Nullable<Instant>,
        }

        account_deliveries (account_id) {
            account_id -> BigInt,
            next_at -> Nullable<Instant>,
        }

        account_queues (account_id) {
            account_id -> BigInt,
            waiting -> BigInt,
            running -> BigInt,
            next_run_at -> Nullable<Instant>,
            attention_at -> Nullable<Instant>,
            virtual_time -> Double,
            next_short_run_at -> Nullable<Instant>,
        }

        account_schedules (account_id) {
            account_id -> BigInt,
            next_at -> Nullable<Instant>,
        }

        keyword_flights (market_key) {
            market_key -> Binary,
            flight_id -> BigInt,
            until -> Instant,
            failure -> Nullable<Text>,
        }

        keyword_markets (market_key) {
            market_key -> Binary,
            expires_at -> Instant,
            bought_at -> Instant,
            keyword -> Text,
            country -> Text,
            language -> Text,
            body -> Binary,
        }

        sealed_secrets (purpose, number) {
            purpose -> Text,
            number -> BigInt,
            key_version -> BigInt,
            envelope -> Binary,
            created_at -> Instant,
        }

        server_keys (version) {
            version -> BigInt,
            wrapped_by -> Binary,
            wrapped -> Binary,
            created_at -> Instant,
        }

        server_notes (topic) {
            topic -> Text,
            note -> Text,
            noted_at -> Instant,
        }

        server_secrets (name) {
            name -> Text,
            value -> Binary,
        }

        server_spending (day) {
            day -> Date,
            reserved -> BigInt,
            spent -> BigInt,
        }

        sign_in_throttles (throttle_key) {
            throttle_key -> Binary,
            guesses -> BigInt,
            last_at -> Instant,
        }

        site_turns (site_hash) {
            site_hash -> Binary,
            next_at -> Instant,
        }
    }
}

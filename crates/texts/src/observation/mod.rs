pub mod ai_answer;
pub mod keyword_research;
pub mod page_content;
pub mod page_url;
pub mod search_page;
pub mod structured_data;
pub mod vitals;
pub mod web_site;

use super::{Outcome, UsageError, domains::parse_host, find_project, no_such_project};
use crate::cli::{BrandsCommand, ProjectArgs};
use crate::terminal::{eprint_line, print_line};
use crate::wiring::AppContext;
use domain::text::Label;
use domain::use_cases::brands::SetBrandNamesError;

pub async fn run(context: &AppContext, command: BrandsCommand) -> anyhow::Result<Outcome> {
    let BrandsCommand::Set {
        project_args,
        domain,
        common_word,
        names,
    } = command;
    let is_word = common_word.map(|it| it == "yes");
    set(context, &project_args, &domain, is_word, &names).await?;
    Ok(Outcome::Done)
}

async fn set(
    context: &AppContext,
    project_args: &ProjectArgs,
    domain: &str,
    is_word: Option<bool>,
    names: &[String],
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let read = |it: &String| {
        Label::parse(it).map_err(|refusal| UsageError(format!("the name `{it}` {refusal}")))
    };
    let names: Vec<Label> = names.iter().map(read).collect::<Result<_, _>>()?;
    let brand = { context.core() }
        .set_brand_names(account, project, &parse_host(domain)?, &names, is_word)
        .await
        .map_err(|error| match error {
            SetBrandNamesError::Storage(error) => anyhow::Error::from(error),
            SetBrandNamesError::NoSuchProject => no_such_project(project_args).into(),
            refusal => UsageError(format!("cannot set brand names of {domain}: {refusal}")).into(),
        })?;
    let names: Vec<&str> = brand.names.iter().map(Label::as_str).collect();
    if names.is_empty() {
        eprint_line(format!(
            "{} has no brand names now; AI answers are searched for its domain only.",
            brand.domain
        ));
    } else {
        print_line(format!("{}: {}", brand.domain, names.join(", ")));
    }
    Ok(())
}

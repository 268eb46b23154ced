// Entry point of all pages. Without JavaScript pages are read-only; keyword research, gap check and content plans
// then show that they need it.
import { restoreFocus } from './reload_state.js';
import { localize } from './localize.js';
import { listenToForms, showStoredOutcome } from './forms.js';
import { bulkActions } from './bulk.js';
import { initImportForm } from './console_import.js';
import { followAnalyses } from './progress.js';
import { addFragmentToQuery, copyButtons, fillFromFragment, openFormFromFragment, selectAll, showDependentParts, submitOnChange } from './helpers.js';

localize(document);
listenToForms(document);
showStoredOutcome();
bulkActions(document);
followAnalyses(document);
copyButtons(document);
fillFromFragment(document);
addFragmentToQuery(document);
initImportForm(document);
openFormFromFragment(document);
selectAll(document);
showDependentParts(document);
submitOnChange(document);
restoreFocus(document);

// Entry point of all pages. Without JavaScript pages are read-only; keyword research, gap check and content plans
// need it, and say so.
import { focusAgain } from './again.js';
import { localise } from './localise.js';
import { listenToForms, tellWhatWasDone } from './forms.js';
import { bulkActions } from './bulk.js';
import { importsAmongSettings } from './console_import.js';
import { followAnalyses } from './progress.js';
import { copyButtons, filledFromAddress, opensForms, selectAll, submitOnChange } from './helpers.js';

localise(document);
listenToForms(document);
tellWhatWasDone();
bulkActions(document);
followAnalyses(document);
copyButtons(document);
filledFromAddress(document);
importsAmongSettings(document);
opensForms(document);
selectAll(document);
submitOnChange(document);
focusAgain(document);

// Starts what the page at hand needs. Every page works without these modules, except for changes.
import { focusAgain } from './again.js';
import { localise } from './localise.js';
import { listenToForms } from './forms.js';
import { bulkActions } from './bulk.js';
import { followAnalyses } from './progress.js';
import { copyButtons, filledFromAddress, filledFromFiles, selectAll, submitOnChange } from './helpers.js';

localise(document);
listenToForms(document);
bulkActions(document);
followAnalyses(document);
copyButtons(document);
filledFromAddress(document);
filledFromFiles(document);
selectAll(document);
submitOnChange(document);
focusAgain(document);

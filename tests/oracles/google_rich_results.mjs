// Prints what Adobe's validator says of pages, for google_rich_results.py: one line of JSON per page.
//
//     node google_rich_results.mjs MODULES SCHEMA LIST
//
// MODULES is a node_modules with @adobe/structured-data-validator and @marbec/web-auto-extractor,
// SCHEMA the file schemaorg-all-https.jsonld, LIST a file with a path to an HTML page on every line.
import fs from 'node:fs';
import path from 'node:path';

const [modules, schema, list] = process.argv.slice(2);
const load = (name) => import(path.join(modules, name));
const { Validator } = await load('@adobe/structured-data-validator/src/validator.js');
const extractor = (await load('@marbec/web-auto-extractor/dist/index.js')).default;
const WebAutoExtractor = extractor.default ?? extractor;
const validator = new Validator(JSON.parse(fs.readFileSync(schema, 'utf8')));

for (const file of fs.readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
  let line;
  try {
    const data = new WebAutoExtractor({ addLocation: true }).parse(fs.readFileSync(file, 'utf8'));
    const issues = await validator.validate({ jsonld: data.jsonld, errors: data.errors });
    line = {
      file,
      roots: Object.fromEntries(Object.entries(data.jsonld ?? {}).map(([type, all]) => [type, all.length])),
      issues: issues.map((it) => ({
        severity: it.severity,
        fields: it.fieldNames ?? [],
        path: (it.path ?? []).map((step) => ({ type: step.type, property: step.property })),
        kind: it.errorType ?? 'google',
        format: it.dataFormat,
        message: it.issueMessage,
        root: it.rootType,
      })),
    };
  } catch (error) {
    line = { file, failed: String(error) };
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

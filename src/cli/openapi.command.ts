import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';

/** Writes the OpenAPI document and errors.md from the built code; needs neither a server nor a database. */
export function openapiCommand(): Command {
  return new Command('openapi')
    .description('write the OpenAPI document and errors.md')
    .argument('[file]', 'output file; - for standard output', 'docs/openapi.json')
    .action(async (file: string) => {
      const { describeApi } = await import('../api-document.js');
      const { errorsPage } = await import('./errors-page.js');
      const document = await describeApi();
      const text = `${JSON.stringify(document, null, 2)}\n`;
      if (file === '-') return void process.stdout.write(text);
      const page = join(dirname(file), 'errors.md');
      try {
        await writeFile(file, text);
        await writeFile(page, errorsPage(document));
      } catch (error) {
        throw new StartupError(`Cannot write the document: ${(error as Error).message}.`, error);
      }
      console.log(`Wrote ${file} and ${page}.`);
    });
}

import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';

/** Writes the API's document from the code as it is built; needs neither a server nor a database. */
export function openapiCommand(): Command {
  return new Command('openapi')
    .description('write the OpenAPI document')
    .argument('[file]', 'where to; - prints it', 'docs/openapi.json')
    .action(async (file: string) => {
      const { describeApi } = await import('../api-document.js');
      const text = `${JSON.stringify(await describeApi(), null, 2)}\n`;
      if (file === '-') return void process.stdout.write(text);
      await writeFile(file, text).catch((error: Error) => {
        throw new StartupError(`The document cannot be written: ${error.message}.`, error);
      });
      console.log(`Wrote ${file}.`);
    });
}

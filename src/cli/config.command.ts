import { Command } from 'commander';
import { effectiveSettings } from '../config/effective-settings.js';

/** `config` prints the settings that a server started here would have; needs no database. */
export function configCommand(): Command {
  return new Command('config')
    .description('print every setting without secrets, and its source: default, .env or environment')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => print(json));
}

function print(isJson: boolean): void {
  // Throws a sentence for each wrong variable.
  const settings = effectiveSettings();
  if (isJson) return console.log(JSON.stringify(settings, null, 2));
  const width = Math.max(...settings.map(({ name }) => name.length));
  for (const { name, value, source } of settings) {
    const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    console.log(`${name.padEnd(width)}  ${source.padEnd('environment'.length)}  ${text}`.trimEnd());
  }
}

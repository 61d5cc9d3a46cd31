import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { benchmarkCommand } from '../../benchmarks/benchmark.command.js';
import { SUITES } from '../../benchmarks/suites/index.js';
import { seedCommand } from '../../seeds/seed.command.js';
import { createProgram } from '../../src/cli/program.js';
import { type DocumentedCommand, documentedCommands, documentedWords } from '../support/documented-commands.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Programs that commander describes, by their npm script or their file. */
const DESCRIBED: Record<string, () => Command> = {
  cli: () => createProgram(''),
  seed: seedCommand,
  benchmark: benchmarkCommand,
};
/** Programs that check their options themselves, by the file that does. */
const SELF_CHECKED: Record<string, string> = {
  faults: 'test/faults/suite/main.ts',
  test: 'scripts/test.mjs',
  'test:e2e': 'scripts/test.mjs',
  'test:faults': 'scripts/test.mjs',
};
const BUNDLED: Record<string, string> = {
  'main.js': 'src/main.ts',
  'cli.js': 'src/cli.ts',
  'seed.js': 'seeds/seed.ts',
};
const NPM_COMMANDS = ['ci', 'install', 'pack', 'prune'];

/** Placeholders: `<name>`, `FILE`, `path/to.spec.ts`. */
const isPlaceholder = (word: string): boolean => /^<.+>$|^[A-Z]+$|^path\b/.test(word);

const commands = documentedCommands();

describe('the commands of the documents', () => {
  it('exist, with their options and arguments', () => {
    expect(commands.length).toBeGreaterThan(100);
    expect(commands.flatMap((command) => faultsOf(command).map((fault) => `${shown(command)}: ${fault}`))).toEqual([]);
  });

  it('name suites of the benchmark that exist', () => {
    const known = new Set(SUITES.map(({ name }) => name));
    const unknown = commands.flatMap((command) => {
      const names = command.words[command.words.indexOf('--suite') + 1]!;
      if (!command.words.includes('--suite') || isPlaceholder(names)) return [];
      return names.split(',').flatMap((name) => (known.has(name) ? [] : [`${shown(command)}: ${name}`]));
    });
    expect(unknown).toEqual([]);
  });

  it('name files that exist', () => {
    const isOwn = /^(?:\.ci|benchmarks|deploy|docs|scripts|sdk|seeds|src|test)\/[\w./-]+$/;
    // A decision may name what it replaced.
    const paths = documentedWords().filter(({ page, word }) => isOwn.test(word) && !page.startsWith('docs/adr/'));
    expect(paths.length).toBeGreaterThan(100);
    const places = (page: string, path: string): string[] => [path, `${path}.ts`, join(dirname(page), path)];
    expect(paths.filter(({ page, word }) => !places(page, word).some((path) => existsSync(path)))).toEqual([]);
  });

  it('are checked: a wrong script, command, option or argument is found', () => {
    const fault = (line: string): string[] => faultsOf({ page: '', words: line.split(' '), isExample: true });
    expect(fault('npm run starts')).toEqual(['no script "starts"']);
    expect(fault('npm run check -- --fast')).toEqual(['no option --fast']);
    expect(fault('npm run cli -- migrate down')).toEqual([expect.stringContaining('too many arguments')]);
    expect(fault('npm run cli -- backup verify')).toEqual([
      expect.stringContaining("missing required argument 'file'"),
    ]);
    expect(fault('npm run seed -- --profile huge')).toEqual([expect.stringContaining('Allowed choices are')]);
    expect(fault('npm run test:e2e -- --proxy nginx')).toEqual(['no option --proxy']);
    expect(fault('node scripts/gone.mjs')).toEqual(['no file scripts/gone.mjs']);
  });
});

function shown({ page, words }: DocumentedCommand): string {
  return `${page}: ${words.join(' ')}`;
}

function faultsOf(command: DocumentedCommand): string[] {
  const [program, ...args] = command.words;
  if (program === 'cli') return faultsOfProgram('cli', args, command);
  if (program === 'npm') return faultsOfNpm(args, command);
  if (program === 'node') return faultsOfNode(args, command);
  const bin = program === 'npx' ? args[0]! : program!;
  return existsSync(join('node_modules/.bin', bin)) ? [] : [`no program ${bin}`];
}

function faultsOfNpm([name, ...args]: string[], command: DocumentedCommand): string[] {
  if (NPM_COMMANDS.includes(name!)) return [];
  const script = name === 'run' ? args.shift()! : name!;
  if (isPlaceholder(script)) return [];
  if (scripts[script] === undefined) return [`no script "${script}"`];
  if (args.length > 0 && args.shift() !== '--') return ['options of a script stand behind --'];
  return faultsOfProgram(script, args, command);
}

function faultsOfNode(args: string[], command: DocumentedCommand): string[] {
  const start = args.findIndex((arg) => !arg.startsWith('-'));
  const path = args[start];
  if (path === undefined || /^-\w*[ep]/.test(args[0]!)) return [];
  const bundled = /^dist\/bundle\/(.+)$/.exec(path)?.[1];
  const source = bundled === undefined ? path : BUNDLED[bundled];
  if (source === undefined || !existsSync(source)) return [`no file ${path}`];
  const rest = args.slice(start + 1);
  return bundled === undefined
    ? unknownOptions(source, rest)
    : faultsOfProgram(bundled.replace('.js', ''), rest, command);
}

function faultsOfProgram(name: string, args: string[], { isExample }: DocumentedCommand): string[] {
  if (args.includes('$@')) return [];
  if (name === 'quickstart') return faultsOfProgram('cli', ['quickstart', ...args], { page: '', words: [], isExample });
  // `npm run jest` has the options of Jest.
  if (name === 'jest') return [];
  const create = DESCRIBED[name];
  if (create !== undefined) return faultOfParsing(create(), args, isExample);
  const source = SELF_CHECKED[name] ?? /^node (scripts\/\S+)/.exec(scripts[name] ?? '')?.[1];
  return unknownOptions(source, args);
}

function unknownOptions(source: string | undefined, args: string[]): string[] {
  const text = source === undefined ? '' : readFileSync(source, 'utf8');
  const isKnown = (option: string): boolean =>
    text.includes(`'${option}'`) || new RegExp(`^\\s+'?${option.slice(2)}'?: (?:\\{ type|isGiven)`, 'm').test(text);
  return args.filter((arg) => arg.startsWith('--') && !isKnown(arg)).map((option) => `no option ${option}`);
}

/** Parses a command line as the program does, and runs nothing. */
function faultOfParsing(program: Command, args: string[], isExample: boolean): string[] {
  disarm(program);
  try {
    program.parse(args, { from: 'user' });
    return [];
  } catch (error) {
    const { code, message } = error as CommanderError;
    if (!(error instanceof CommanderError)) throw error;
    if (/^commander\.(?:help|version)/.test(code)) return [];
    const isIncomplete = /^commander\.(?:missing|optionMissing)/.test(code);
    const isOfPlaceholder = /^commander\.(?:invalidArgument|excessArguments)$/.test(code) && args.some(isPlaceholder);
    return (isIncomplete && !isExample) || isOfPlaceholder ? [] : [message];
  }
}

/** Replaces every action, so that a parsed command does nothing. */
function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  command.action(() => {});
  command.commands.forEach(disarm);
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createProgram } from '../../src/cli/program.js';

/** A command line of a page, in words. An example of a code block is complete; a mention in a sentence may lack arguments. */
export type DocumentedCommand = { page: string; words: string[]; isExample: boolean };

const PROGRAMS = new Set(['npm', 'npx', 'node', 'cli', 'nest']);

const COMMANDS = new Set(createProgram('').commands.map((command) => command.name()));

/** Returns the commands of all documents and packages for npm, Node, the CLI and Nest, each from the name of its program on. */
export function documentedCommands(): DocumentedCommand[] {
  return codeOfPages().flatMap(({ page, code, isExample }) =>
    segments(code).flatMap((words) => {
      const line = withProgram(words, isExample);
      const start = line.findIndex((word) => PROGRAMS.has(word));
      return start === -1 || line.length === start + 1 ? [] : [{ page, words: line.slice(start), isExample }];
    }),
  );
}

/** Names the CLI where a page leaves it out. docs/production.md defines `opencanvas` as the CLI with the settings of the service. */
function withProgram(words: string[], isExample: boolean): string[] {
  if (words[0] === 'opencanvas') return ['cli', ...words.slice(1)];
  const isOfCli = !isExample && words.length > 1 && COMMANDS.has(words[0]!);
  return isOfCli ? ['cli', ...words] : words;
}

/** Returns every word of a code block or of a code span. */
export function documentedWords(): { page: string; word: string }[] {
  return codeOfPages().flatMap(({ page, code }) =>
    segments(code).flatMap((words) => words.map((word) => ({ page, word }))),
  );
}

type Code = { page: string; code: string; isExample: boolean };

function codeOfPages(): Code[] {
  const listed = execFileSync('git', ['ls-files', '*.md', 'deploy', '.env.example'], { encoding: 'utf8' });
  const pages = listed
    .trim()
    .split('\n')
    .filter((page) => page !== 'CHANGELOG.md');
  return pages.flatMap((page) => codeOf(page, readFileSync(page, 'utf8')));
}

function codeOf(page: string, text: string): Code[] {
  const found: Code[] = [];
  const add = (code: string, isExample: boolean): void => void found.push({ page, code, isExample });
  const rest = text.replaceAll(/^( *)```(\w*)\n(.*?)^\1```/gms, (_block, _indent, language: string, code: string) => {
    if (language === 'sh') add(code, true);
    return '';
  });
  for (const [, code] of rest.matchAll(/`([^`]+)`/g)) add(code!.replaceAll(/\s+/g, ' '), false);
  for (const [, code] of rest.matchAll(/^(?:RUN|  |ExecStart=)\s*((?:npm|\/usr\/bin\/node) .*)$/gm))
    add(code!.replace('/usr/bin/', ''), true);
  return found;
}

/** Splits shell text into simple commands, without redirections, comments and what follows an ellipsis. */
function segments(code: string): string[][] {
  const found: string[][] = [[]];
  const tokens = code.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|'([^']*)'|#.*|[|&;\n]+|[<>]{1,2} (\S+)|…|[^\s|&;]+/g);
  let isOver = false;
  for (const [token, double, single, redirected] of tokens) {
    if (/^[|&;\n]/.test(token)) {
      found.push([]);
      isOver = false;
    } else if (token === '…') isOver = true;
    else if (!isOver && !token.startsWith('#') && redirected === undefined)
      found.at(-1)!.push(double ?? single ?? token);
  }
  return found.filter((words) => words.length > 0);
}

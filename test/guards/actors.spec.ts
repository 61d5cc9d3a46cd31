import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Each makes viewers of what it has verified, or has a reason. */
const MAKERS = [
  // the claims of a verified token, and the claims of a new one
  'src/platform/access/access-token.service.ts',
  'src/auth/auth.service.ts',
  // reads for the site itself
  'src/platform/access/viewer.ts',
  // the account as it is now
  'src/users/user-accounts.service.ts',
  // the account that edits its profile, for its limits
  'src/users/profile.service.ts',
  // the token of an operator's command, which stays in its process
  'src/cli/explain.command.ts',
];
const FIELDS = new Set('_id id role signInId isEmailVerified suspendedUntil scopes audience standing'.split(' '));

const FORGED = [
  `publish({ id: author.toHexString(), role: 'user' })`,
  `const viewer: Viewer = { id, role: 'user', isEmailVerified: true };`,
  `get(target, { ...viewer, role: 'moderator' })`,
  `const viewer = { id } as Viewer;`,
  `const viewer = { id } satisfies Viewer;`,
  `const viewer: Viewer = { id };`,
];
const OTHERS = [
  `toUser({ id, role, username })`,
  `const fields = { role: 1, standing: 1 };`,
  `hasRole({ role }, 'moderator')`,
  `return { ...viewerOf(actor), isEmailVerified: true };`,
  `thread({ role: 'writer', path })`,
  `log({ ...fields, role: this.role })`,
];

describe('a viewer', () => {
  it('comes from a token, or from `accounts.actor(id)` without one', () => {
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src']);
    const files = listed
      .toString()
      .trim()
      .split('\n')
      .filter((file) => /(?<!\.spec)\.ts$/.test(file));
    const found = files.flatMap((file) => viewersIn(file, readFileSync(file, 'utf8')).map(() => file));

    expect([...new Set(found)].sort()).toEqual([...MAKERS].sort());
  });

  it.each(FORGED)('is found in %s', (text) => expect(viewersIn('a.ts', text)).toHaveLength(1));

  it.each(OTHERS)('is not found in %s', (text) => expect(viewersIn('a.ts', text)).toEqual([]));
});

/** Returns the object literals that are viewers: of this type by their annotation, or with a role and no other fields than a viewer's. */
function viewersIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node) && (isAnnotated(node) || looksLikeViewer(node))) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isAnnotated({ parent }: ts.ObjectLiteralExpression): boolean {
  const type =
    ts.isVariableDeclaration(parent) || ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent)
      ? parent.type?.getText()
      : undefined;
  return type === 'Viewer' || type === 'Actor';
}

function looksLikeViewer({ properties }: ts.ObjectLiteralExpression): boolean {
  const names = properties.map((property) => (ts.isSpreadAssignment(property) ? '...' : property.name.getText()));
  const isRaised = properties.some((property) => /^role: ['"]/.test(property.getText())) && names.includes('...');
  const hasRole = names.includes('role') && (names.includes('id') || isRaised);
  return hasRole && names.every((name) => name === '...' || FIELDS.has(name));
}

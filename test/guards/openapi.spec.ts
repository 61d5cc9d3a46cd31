import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { describeApi } from '../../src/api-document.js';
import { ERROR_CODES } from '../../src/common/errors.js';
import { errorsPage } from '../../src/cli/errors-page.js';
import { operationsOf } from '../support/openapi.js';

const ROOT = join(import.meta.dirname, '../..');
const { Spectral } = spectralCore;

/** OWASP rules that do not apply, with the reasons. */
const OWASP_EXCEPTIONS = {
  // Names, titles and texts have a length, but no pattern.
  'owasp:api4:2023-string-restricted': 'off',
  // All problems are the one default response. `x-error-codes` lists those of a route, and a test below compares them.
  'owasp:api4:2023-rate-limit-responses-429': 'off',
  // Browsers read this header and clients do not. Generated clients would have it on every response.
  'owasp:api8:2023-define-cors-origin': 'off',
  'owasp:api8:2023-define-error-responses-401': 'off',
  'owasp:api8:2023-define-error-responses-500': 'off',
  'owasp:api8:2023-define-error-validation': 'off',
  // Public routes require nothing (`[]`), or clients would need a token to sign in. The access matrix lists these routes.
  'owasp:api2:2023-read-restricted': 'off',
  'owasp:api2:2023-write-restricted': 'off',
  // A role opens the routes of moderators and admins, not another kind of token.
  'owasp:api5:2023-admin-security-unique': 'off',
} as const;

/** The reads of what a PUT sets and a DELETE of the same path removes: operation and field. */
const READS: Record<string, string[]> = {
  lockPost: ['getPost.isLocked'],
  addFeaturedPost: ['getUser.featuredPostIds'],
  blockUser: ['getViewer.isBlocked', 'listRelationships.isBlocked', 'listBlocks.blockedAt'],
  muteUser: ['getViewer.isMuted', 'listRelationships.isMuted', 'listMutes.mutedAt'],
  followUser: ['getViewer.isFollowing', 'listRelationships.isFollowing', 'listFollowing.since'],
  putCollectionPost: ['listCollectionPosts.post'],
  claimCase: ['getCase.claim', 'listCases.claim'],
  scheduleDraft: ['getDraft.publishAt', 'listDrafts.publishAt'],
  shareDraft: ['getDraft.sharedUntil', 'listDrafts.sharedUntil'],
  votePost: ['getViewer.vote'],
  voteComment: ['getViewer.vote'],
  voteCollection: ['getViewer.vote'],
  savePost: ['getViewer.isSaved', 'listSaved.slug'],
  hidePost: ['getViewer.isHidden', 'listHidden.slug'],
  followCollection: ['getViewer.isFollowing', 'listFollowedCollections.since'],
  followTag: ['getViewer.isFollowing', 'listFollowedTags.tag'],
  watchPost: ['getViewer.watch', 'listWatches.level'],
  addBell: ['getViewer.hasBell', 'listRelationships.hasBell', 'listBells.user'],
  markNotificationRead: ['listNotifications.isRead'],
  enableTotp: ['getTotp.isEnabled'],
  finishLink: ['listIdentities.data'],
};

const VERBS =
  'Add|Approve|Block|Cancel|Change|Check|Claim|Compare|Confirm|Create|Delete|Disable|Dismiss|Download|Enable|Exchange|Feature|Finish|Follow|Get|Hide|Import|Link|List|Lock|Mark|Mute';
const MORE_VERBS =
  'Preview|Publish|Record|Refresh|Reject|Release|Remove|Rename|Replace|Report|Request|Reset|Revert|Revoke|Save|Schedule|Search|Sign|Start|Stop|Suggest';
const IMPERATIVE = new RegExp(
  `^(?:${VERBS}|${MORE_VERBS}|Restore|Unblock|Undo|Unfollow|Unhide|Unlink|Unlock|Unmute|Unsave|Update|Upload|Vote|Watch) `,
);

/** Routes for probes have no limit. */
const FOR_OPERATORS = /^owasp:api4:2023-rate-limit \/health\//;

const FILE = join(ROOT, 'docs/openapi.json');
/** Not in the root, where generators of clients that start there would read it. */
const CONFIG = join(import.meta.dirname, 'redocly.yaml');

describe('the OpenAPI document', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    document = await describeApi();
  });

  it('is committed as the code generates it (npm run build && npm run cli -- openapi)', () => {
    const committed: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
    expect(committed).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('has summaries that are short imperative phrases', () => {
    const summaries = operationsOf(document).map(({ summary }) => summary);
    const others = summaries.filter(
      (summary) => summary.length > 60 || /[`*_]|\.$/.test(summary) || !IMPERATIVE.test(summary),
    );
    expect(others).toEqual([]);
  });

  it('has a page of errors that is committed as the code generates it', () => {
    expect(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')).toBe(errorsPage(document));
  });

  it('passes the linter without an error or a warning', () => {
    const output = execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', `--config=${CONFIG}`, '--format=json', FILE],
      {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const { totals, problems } = JSON.parse(output);
    expect(problems).toEqual([]);
    expect(totals.errors).toBe(0);
  });

  it('passes the API security rules of OWASP without a finding', async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [owasp as unknown as RulesetDefinition], rules: OWASP_EXCEPTIONS });
    const findings = await spectral.run(JSON.parse(JSON.stringify(document)));
    const faults = findings.map(({ code, path }) => `${code} ${path.slice(1, 5).join(' ')}`);
    expect(faults.filter((fault) => !FOR_OPERATORS.test(fault))).toEqual([]);
  });

  /** Syntax that Python, Java and RE2 read in another way, or not at all. `scripts/test-clients.mjs` compiles every pattern with them. */
  const UNPORTABLE = /\{\d+,?\d{4}|\(\?[=!<]|\\(?![sSx.*+?^$\[\]\-/|])|[^\x20-\x7e]/;
  const TEXTS = ['', ' ', 'a', 'Z9', 'a-b_c', 'é', '字', '😀', '😀😀', 'a😀b', ' a ', 'a\nb', '\u200d', '"1-a"'];

  it('has patterns that mean the same in every language, with the u flag and without', () => {
    const faults = patternsOf(document).flatMap((pattern) => {
      const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
      const texts = TEXTS.filter((text) => plain.test(text) !== unicode.test(text));
      return [
        ...(UNPORTABLE.test(pattern) ? [`${pattern}: not of every language`] : []),
        // Python clients match only the beginning of a text.
        ...(pattern.startsWith('^') ? [] : [`${pattern}: has no beginning`]),
        ...texts.map((text) => `${pattern}: ${JSON.stringify(text)}`),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(document.info.version).toBe(version);
  });

  it('names every operation once and describes it', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ id }) => id);
    expect(operations.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
    const known = document.tags!.filter(({ description }) => description).map(({ name }) => name);
    const lacking = operations.filter(({ summary, description, tags }) => {
      return !summary || !description || tags.length !== 1 || !known.includes(tags[0]!);
    });
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  it('has a read for what each PUT sets and its DELETE removes', () => {
    const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
    const pairs = Object.values(document.paths).filter((item) => item.put !== undefined && item.delete !== undefined);

    expect(pairs.map(({ put }) => put!.operationId).sort()).toEqual(Object.keys(READS).sort());
    const lacking = Object.values(READS)
      .flat()
      .filter((read) => {
        const [id, field] = read.split('.');
        const { method, responses } = operations.get(id!)!;
        return (
          method !== 'GET' ||
          !propertiesOf(document, responses['200']!.content!['application/json']!.schema!).has(field!)
        );
      });
    expect(lacking).toEqual([]);
  });

  it('gives every response a schema, and every refusal the problem schema with its codes', () => {
    const faults: string[] = [];
    for (const { name, tags, responses } of operationsOf(document)) {
      const statuses = Object.keys(responses);
      // 302 and 303 redirect a browser.
      if (!statuses.some((status) => /^2|^30[23]$/.test(status))) faults.push(`${name}: no success`);
      const isOperations = tags[0] === 'operations';
      if (!isOperations && !['429', '500', '503'].every((status) => statuses.includes(status)))
        faults.push(`${name}: no refusal`);
      for (const [status, { content }] of Object.entries(responses)) {
        if (status === '204' || status.startsWith('3')) {
          if (content !== undefined) faults.push(`${name} ${status}: has content`);
        } else if (status.startsWith('2')) {
          // A 202 may have no body.
          if (status === '202' && content === undefined) continue;
          const media = Object.values(content ?? {});
          if (media.length === 0 || media.some(({ schema }) => !schema)) faults.push(`${name} ${status}: no schema`);
        } else if (content?.['application/problem+json'] !== undefined) {
          const codes = Object.keys(content['application/problem+json'].examples ?? {});
          const right = codes.filter((code) => String(ERROR_CODES[code as keyof typeof ERROR_CODES]?.[0]) === status);
          if (codes.length === 0 || right.length !== codes.length) faults.push(`${name} ${status}: ${codes.join()}`);
        } else if (content?.['application/json'] === undefined) faults.push(`${name} ${status}: no body described`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('requires a token exactly where the guard does, and documents 401 there', () => {
    const wrong = operationsOf(document).filter(({ access, responses }) => {
      return (access === 'public') === '401' in responses;
    });
    // A wrong password or refresh token is 401 without any access token.
    const signIns = ['login', 'refreshTokens', 'signInWithPasskey', 'signInWithSecondFactor'];
    const byOtherMeans = ['exchangeCode', 'openEventSource', ...signIns].sort();
    expect(wrong.map(({ id }) => id).sort()).toEqual(byOtherMeans);
  });

  it('requires nothing on public routes, has one response for problems, and no 304', () => {
    const { paths } = document as unknown as { paths: Record<string, Record<string, any>> };
    const all = Object.values(paths).flatMap((item) => Object.values(item));
    const empty = all.filter(({ security }) => security.some((one: object) => Object.keys(one).length === 0));
    // These routes accept a token, but do not require one.
    expect(empty.filter(({ security }) => security.length === 1)).toEqual([]);
    expect(all.filter(({ security }) => security.length === 0).length).toBeGreaterThan(20);
    expect(new Set(all.map(({ responses }) => responses.default.$ref))).toEqual(
      new Set(['#/components/responses/Problem']),
    );
    // With 304, generated clients would return "nothing" for every read.
    expect(all.filter(({ responses }) => '304' in responses)).toEqual([]);
  });

  it('names every request schema ...Input, and no schema ...Dto or ...Body', () => {
    const sent = operationsOf(document).flatMap(({ name, inputName }) =>
      inputName === undefined ? [] : [[name, inputName]],
    );
    expect(sent.length).toBeGreaterThan(30);
    expect(sent.filter(([, input]) => !input!.endsWith('Input'))).toEqual([]);
    expect(Object.keys(document.components!.schemas!).filter((name) => /(Dto|Body)$/.test(name))).toEqual([]);
    expect(operationsOf(document).filter(({ summary }) => summary.includes('`'))).toEqual([]);
  });

  it('has each schema and each enum once, so that generated clients have one type for it', () => {
    const schemas = Object.entries(document.components!.schemas!).map(([name, schema]) => [shapeOf(schema), name]);
    const first = new Map<string, string>();
    const repeated = [...schemas, ...enumsOf(document)].flatMap(([shape, place]) => {
      const earlier = first.get(shape!);
      first.set(shape!, earlier ?? place!);
      return earlier === undefined ? [] : [[earlier, place]];
    });
    expect(repeated).toEqual([]);
  });

  it('has no defaults in request schemas, because generated clients would send or require them', () => {
    const schemas = document.components!.schemas as Record<string, object>;
    const text = (schema: object): string =>
      JSON.stringify(schema).replace(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (_, name) => text(schemas[name]!));
    const edits = operationsOf(document).filter(({ body }) => body !== undefined);
    expect(edits.length).toBeGreaterThan(5);
    expect(edits.filter(({ body }) => text(body!).includes('"default":')).map(({ name }) => name)).toEqual([]);
  });

  it('shows an example of every value', () => {
    const faults: string[] = [];
    const schemas = document.components!.schemas as Record<string, { properties?: Record<string, any> }>;
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      for (const [property, schema] of Object.entries(properties)) {
        const refersOn = '$ref' in schema || 'allOf' in schema || 'anyOf' in schema || schema.items?.$ref !== undefined;
        if (!refersOn && schema.example === undefined) faults.push(`${name}.${property}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

/** Returns a schema without its texts. A property may be called `description`. */
function shapeOf(schema: unknown): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    const isText = key === 'example' || (key === 'description' && typeof value === 'string');
    return isText ? undefined : value;
  });
}

/** Returns every enum with its place, except the values of `not`, which are no type. */
function enumsOf(value: unknown, place = ''): [string, string][] {
  if (typeof value !== 'object' || value === null || place.endsWith('/not')) return [];
  const own: [string, string][] =
    'enum' in value && Array.isArray(value.enum) && value.enum.length > 1 ? [[value.enum.join(), place]] : [];
  return [...own, ...Object.entries(value).flatMap(([key, part]) => enumsOf(part, `${place}/${key}`))];
}

/** Returns every pattern once. */
function patternsOf(value: unknown, found = new Set<string>()): string[] {
  if (typeof value === 'object' && value !== null) {
    if ('pattern' in value && typeof value.pattern === 'string') found.add(value.pattern);
    for (const part of Object.values(value)) patternsOf(part, found);
  }
  return [...found];
}

/** Returns the names of all properties in a schema, at any depth. */
function propertiesOf(
  document: OpenAPIObject,
  schema: Record<string, any>,
  names = new Set<string>(),
  seen = new Set<string>(),
): Set<string> {
  if (schema['$ref'] !== undefined) {
    const name = schema['$ref'].split('/').at(-1) as string;
    if (seen.has(name)) return names;
    seen.add(name);
    return propertiesOf(document, document.components!.schemas![name] as Record<string, any>, names, seen);
  }
  for (const [name, property] of Object.entries<any>(schema['properties'] ?? {})) {
    names.add(name);
    propertiesOf(document, property, names, seen);
  }
  for (const part of [schema['items'], ...(schema['allOf'] ?? []), ...(schema['anyOf'] ?? [])])
    if (part !== undefined) propertiesOf(document, part, names, seen);
  return names;
}

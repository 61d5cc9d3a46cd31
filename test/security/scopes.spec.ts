import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../../src/api-document.js';
import { accessRuleOf } from '../../src/platform/access/access.decorator.js';
import { type RouteScope, type Scope, SCOPES, scopeRuleOf } from '../../src/platform/access/token-scope.js';
import { indexAll, useApp } from '../support/app.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import type { PersonWithPassword } from '../support/world.js';
import { SCOPE_MATRIX } from './scope-matrix.js';
import { validRequest } from './valid-request.js';
import { makeSubject } from './subjects.js';

const needed = new Map(
  Object.entries(SCOPE_MATRIX).flatMap(([scope, ids]) =>
    ids
      .trim()
      .split(/\s+/)
      .map((id) => [id, scope as RouteScope] as const),
  ),
);

/** What API tokens may do, route by route; the table is scope-matrix.ts. */
describe('scopes of API tokens', () => {
  const app = useApp({ search: true });
  const { world } = app;
  let document: OpenAPIObject;
  let operations: Operation[];
  let owner: PersonWithPassword;

  beforeAll(async () => {
    document = await describeApi();
    operations = operationsOf(document).filter(({ access }) => access !== 'public');
    owner = await world.person({ overHttp: true });
    await indexAll(app);
  });

  it('are decided for every route that reads credentials, and none relies on the default', () => {
    expect(operations.map(({ id }) => id).filter((id) => !needed.has(id))).toEqual([]);
    const ids = new Set(operations.map(({ id }) => id));
    expect([...needed.keys()].filter((id) => !ids.has(id))).toEqual([]);
    const handlers = [...app.app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as new () => object)),
    );
    expect(handlers.length).toBeGreaterThan(50);
    const undecided = handlers.filter(
      ([handler, controller]) =>
        accessRuleOf(handler, controller).level !== 'public' && scopeRuleOf(handler, controller) === undefined,
    );
    expect(undecided.map(([{ name }]) => name)).toEqual([]);
  });

  it('are told by the document', () => {
    for (const { id, scopes } of operations) expect([id, scopes]).toEqual([id, [needed.get(id)]]);
  });

  it('open the routes that they name and no others', async () => {
    const faults: string[] = [];
    const only = new Map<Scope, string>();
    const allBut = new Map<Scope, string>();
    for (const scope of SCOPES) {
      only.set(scope, (await world.apiToken({ by: owner, scopes: [scope] })).token);
      const others = SCOPES.filter((other) => other !== scope);
      allBut.set(scope, (await world.apiToken({ by: owner, scopes: others })).token);
    }
    const all = (await world.apiToken({ by: owner, scopes: [...SCOPES] })).token;
    // nothing that exists: what is asked is whether the guard lets it through
    const target = await makeSubject(app, '-', owner);
    for (const operation of operations) {
      const scope = needed.get(operation.id)!;
      const ask = async (token: string): Promise<string> => {
        const { path, ...request } = validRequest(document, operation, { ...owner, target });
        const answer = await app.client.request(operation.method, path, { token, ...request });
        return answer.status === 403 || answer.status === 401 ? answer.body.code : 'let through';
      };
      const refusal = operation.access === 'optional' ? 'let through' : 'insufficient_scope';
      const [right, wrong] = scope === 'account' ? [undefined, all] : [only.get(scope)!, allBut.get(scope)!];
      if (right !== undefined && (await ask(right)) !== 'let through') faults.push(`${operation.id}: refused`);
      const answered = await ask(wrong);
      if (answered !== refusal) faults.push(`${operation.id} without ${scope}: ${answered}`);
    }
    expect(faults).toEqual([]);
  });
});

function handlersOf(controller: new () => object): [() => unknown, new () => object][] {
  const prototype = controller.prototype as Record<string, () => unknown>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => prototype[name]!)
    .filter((handler) => typeof handler === 'function' && Reflect.hasMetadata('path', handler))
    .map((handler) => [handler, controller]);
}

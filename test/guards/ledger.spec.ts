import { describeApi } from '../../src/api-document.js';
import { LEDGER_OPERATIONS, NOT_IN_LEDGER } from '../faults/suite/operations.js';
import { operationsOf } from '../support/openapi.js';

it('every write of the API is in the ledger of the fault runs, or the list says why not', async () => {
  const writes = operationsOf(await describeApi()).flatMap(({ name, id }) => (name.startsWith('GET ') ? [] : [id]));
  const listed = [...LEDGER_OPERATIONS, ...Object.values(NOT_IN_LEDGER).flat()];
  expect(listed.toSorted()).toEqual(writes.toSorted());
});

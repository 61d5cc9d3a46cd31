import { describeApi } from '../../src/api-document.js';
import { operationsOf } from '../support/openapi.js';

const document = await describeApi();

/** Writes without a limit for new accounts, with the reason. */
const REASONS: Record<string, string> = {
  savePost: 'only the account sees it',
  createDraft: 'only the account sees it',
  saveDraft: 'only the account sees it',
  scheduleDraft: 'counts when it is published',
  shareDraft: 'only readers with the link see it',
  renderMarkdown: 'stores nothing',
  recordPostEvent: 'limited for visitors, too',
  uploadMedia: 'limited for all accounts an hour',
  importMedia: 'limited for all accounts an hour',
  createImport: 'only the account sees its drafts; three a day',
  importAddress: 'as createImport',
  createWebhook: 'only a program of the account receives its events; ten an account',
  updateWebhook: 'as createWebhook',
  rotateWebhookSecret: 'only the account sees it',
  pingWebhook: 'ten a minute',
  redeliverWebhook: 'only a program of the account receives it',
  lockPost: 'stops comments on an own post',
  updateInstance: 'only admins, who have no such limits',
  updateTag: 'only moderators, who have no such limits',
  unlockPost: 'allows comments on an own post',
};

describe('writes that others see', () => {
  const writes = operationsOf(document).filter(
    ({ method, path, access, forRestricted }) =>
      method !== 'GET' &&
      access !== 'public' &&
      (forRestricted === undefined || forRestricted === 'emptying') &&
      !/^\/v1\/(admin|moderation)\//.test(path),
  );
  const codesOf = ({ path, method }: (typeof writes)[number]): string[] =>
    (document.paths[path] as Record<string, any>)[method.toLowerCase()]['x-error-codes'];

  it('have a limit for new accounts, or a reason why not', () => {
    const unlimited = writes.filter((operation) => !codesOf(operation).includes('newcomer_limit')).map(({ id }) => id);
    expect(unlimited.sort()).toEqual(Object.keys(REASONS).sort());
    expect(writes.length).toBeGreaterThan(25);
  });
});

import type { BrowserContext, Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { drainTasks, verbsOf } from '../support/verbs.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { VECTORS } from '../support/xss-vectors.js';

const REASON = 'Reason for the account';

describeWith('chromium', 'the pages of moderators', (executablePath) => {
  const app = useApp({ oneHost: 'a browser writes to one server' });
  const { world } = app;
  const { ok, act } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let context: BrowserContext;
  let page: Page;
  let [author, reader, colleague]: Person[] = [];
  let moderator: PersonWithPassword;
  /** dialogs, errors, violations of the policy, requests to other sites */
  let complaints: string[];
  /** of the questions before a decision */
  let [questions, isSure]: [string[], boolean] = [[], true];

  beforeEach(async () => {
    await app.db.collection('report_cases').deleteMany({});
    [author, reader, colleague] = [
      await world.person({ fullName: 'Ada Byron' }),
      await world.person({ fullName: 'Mary Somerville' }),
      await world.person({ role: 'moderator' }),
    ];
    moderator = await world.person({ overHttp: true, role: 'moderator' });
    [complaints, questions, isSure] = [[], [], true];
    context = await browser().newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    // The SDK repeats a request for some seconds before it fails.
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'confirm') questions.push(dialog.message());
      else complaints.push(`dialog ${dialog.message()}`);
      void (isSure ? dialog.accept() : dialog.dismiss());
    });
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole('link', { name });
  const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
  const decision = () => page.getByRole('combobox', { name: 'Decision' });
  const focused = () => page.evaluate('document.activeElement.textContent');
  const caseOf = (id: string) => ok(moderator, 'GET', `moderation/cases/${id}`);
  const openCases = async () => (await ok(moderator, 'GET', 'moderation/summary')).cases.count;

  async function open(path: string, who = moderator): Promise<void> {
    await context.clearCookies();
    await page.goto(app.url + path);
    await submitSignIn(page, who.username);
  }
  async function reportedPost(title: string, content = 'Cheap *looms*.'): Promise<{ id: string; caseId: string }> {
    const { id } = await world.post({ by: author!, title, content });
    await ok(reader, 'POST', 'reports', {
      targetKind: 'post',
      targetId: id,
      reason: 'spam',
      note: 'An advertisement.',
    });
    return { id, caseId: `post-${id}` };
  }
  async function expectAccessible(): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    const viewport = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.setViewportSize(viewport);
  }

  it('create a rule as a dry run, list what it matches, and apply it', async () => {
    const admin = await world.person({ overHttp: true, role: 'admin' });
    await open('/moderation/rules', admin);
    await page.getByText('New rule').click();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Phrase');
    await page.getByLabel('Word, phrase or domain').fill('buy followers');
    await page.getByLabel('Comments').check();
    await button('Create the rule').click();
    await status('The rule was created.');
    const [rule] = (await ok(admin, 'GET', 'moderation/rules')).data;
    expect(rule).toMatchObject({ kind: 'phrase', action: 'report', scope: ['post', 'comment'], isDryRun: true });

    await world.post({ by: author!, title: 'Buy followers' });
    await until(async () => (await ok(admin, 'GET', `moderation/rules/${rule.id}/hits`)).data.length === 1 || null);
    await page.getByText('Latest matches').click();
    await page.getByRole('link', { name: 'Ada Byron' }).waitFor();
    expect(await openCases()).toBe(0);
    await expectAccessible();
    await button('Apply it').click();
    await button('Only list matches').waitFor();
    await world.post({ by: author!, title: 'Buy followers' });
    await drainTasks(app);
    expect(await openCases()).toBe(1);

    // The form shows why the server refuses a second one.
    await page.getByLabel('Word, phrase or domain').fill('buy followers');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Phrase');
    await page.getByLabel('Comments').check();
    await button('Create the rule').click();
    await page.locator('.form [role=alert]').filter({ hasText: /rule/i }).waitFor();
    await button('Delete').click();
    await page.getByText('No rules.').waitFor();
    expect(questions).toEqual(['Apply the rule “buy followers” to new texts?', 'Delete the rule “buy followers”?']);
  });

  it('lead from the queue to a case, to a decision that is confirmed, and to the next case', async () => {
    const [first, second] = [await reportedPost('Buy looms'), await reportedPost('Buy engines')];
    await act(colleague, 'warn', 'user', author!.id, { privateNote: 'The first time.' });
    await ok(colleague, 'PUT', `moderation/cases/${second.caseId}/claim`);
    const third = await reportedPost('Buy wool');
    await open('/moderation?kind=post&sort=oldest');
    await link(/^Cases 3/).waitFor();
    await page.getByText('claimed by').waitFor();
    await expectAccessible();

    await link('Buy looms').click();
    await page.locator('.prose em', { hasText: 'looms' }).waitFor();
    for (const text of ['An advertisement.', 'Note: The first time.', 'Mary Somerville', '2 other cases'])
      await page.getByText(text).first().waitFor();
    await expectAccessible();
    await button('Claim').click();
    await page.getByText('You have claimed this case').waitFor();
    await decision().selectOption('Post: remove');
    expect(await page.getByRole('combobox', { name: 'Reason' }).inputValue()).toBe('spam');
    await page.getByLabel(REASON).fill('This is an advertisement.');
    isSure = false;
    await button('Decide').click();
    expect([questions, await openCases()]).toEqual([['Post: remove?'], 3]);
    isSure = true;
    await button('Decide').click();
    await status('Your decision was saved.');
    expect(await focused()).toBe('Your decision was saved.');
    await page.getByText('This case is closed: a moderator acted.').waitFor();
    await link(/^Cases 2/).waitFor();
    expect((await app.client.get(`/v1/posts/${first.id}`)).status).toBe(404);
    const [action] = (await caseOf(first.caseId)).actions;
    expect(action).toMatchObject({ kind: 'remove', publicReason: 'This is an advertisement.', reasonCode: 'spam' });

    // The second case is claimed by another moderator.
    await button('Next case').click();
    await page.getByRole('heading', { name: 'Buy wool' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/moderation/cases/${third.caseId}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Buy looms' }).waitFor();
  });

  it('decide with the keyboard alone', async () => {
    const { caseId } = await reportedPost('Buy looms');
    await open('/moderation');
    await link('Buy looms').focus();
    await page.keyboard.press('Enter');
    await decision().waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    const tabTo = async (isThere: () => Promise<unknown>): Promise<void> => {
      for (let times = 0; times < 60 && (await isThere()) !== true; times++) await page.keyboard.press('Tab');
      expect(await isThere()).toBe(true);
    };
    const has = (name: string) => () => page.evaluate(`document.activeElement.name === '${name}'`);
    await tabTo(has('decision'));
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.type('Dismiss');
    await tabTo(has('note'));
    await page.keyboard.type('A quarrel.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await status('Your decision was saved.');
    await page.getByText('This case is closed: dismissed.').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Next case');
    expect(await caseOf(caseId)).toMatchObject({ state: 'closed', outcome: 'dismissed', note: 'A quarrel.' });
    await page.keyboard.press('Enter');
    await page.getByText('No cases. All done.').waitFor();
  });

  it('say that another moderator has closed the case, and send a decision once', async () => {
    const { id, caseId } = await reportedPost('Buy looms');
    await open(`/moderation/cases/${caseId}`);
    await decision().selectOption('Account: warn');
    await page.getByLabel(REASON).fill('No advertisements.');
    await ok(colleague, 'POST', `moderation/cases/${caseId}/dismiss`, {});
    await button('Decide').click();
    await alert('This case is already closed.');
    await page.getByText('This case is closed: dismissed.').waitFor();
    expect(await page.getByLabel(REASON).inputValue()).toBe('No advertisements.');
    const actionsOf = async () => (await caseOf(caseId)).ownerActions.map(({ kind }: { kind: string }) => kind);
    expect(await actionsOf()).toEqual(['dismiss_reports']);

    // The response is lost, and the moderator decides again.
    const [again] = [await world.person()];
    await ok(again, 'POST', 'reports', { targetKind: 'post', targetId: id, reason: 'spam' });
    await open(`/moderation/cases/${caseId}`);
    await decision().selectOption('Account: warn');
    await page.getByLabel(REASON).fill('No advertisements.');
    let isLost = true;
    await page.route('**/v1/moderation/actions', async (route) => {
      await route.fetch();
      await (isLost ? route.abort() : route.fallback());
    });
    await button('Decide').click();
    await alert('could not be reached');
    isLost = false;
    await button('Decide').click();
    await status('Your decision was saved.');
    expect(await actionsOf()).toEqual(['warn', 'dismiss_reports']);
  });

  it('show errors of the server at the form, and offer each action of the API', async () => {
    const { caseId } = await reportedPost('Buy looms');
    await open(`/moderation/cases/${caseId}`);
    await decision().selectOption('Account: ban');
    await page.getByLabel(REASON).fill('Enough.');
    await page.getByLabel(/^Until/).fill('2020-01-01T00:00');
    await button('Decide').click();
    await page.locator('[name=until][aria-invalid=true]').waitFor();
    await page.getByLabel(/^Until/).fill('2099-01-01T00:00');
    await page.getByLabel('Also remove all its posts').check();
    await page.getByLabel('Also review registrations').check();
    await page.getByLabel('Note for moderators').fill('Ten accounts.');
    await button('Decide').click();
    await status('Your decision was saved.');
    const [ban] = (await caseOf(caseId)).ownerActions;
    expect(ban).toMatchObject({
      kind: 'ban',
      detail: 'removes everything, bans the network',
      privateNote: 'Ten accounts.',
      caseId,
    });

    await page.getByText('Another decision').click();
    await decision().selectOption('Profile texts: remove');
    await page.getByLabel('Bio').uncheck();
    await page.getByLabel(REASON).fill('An advertisement.');
    await button('Decide').click();
    await until(async () => (await caseOf(caseId)).ownerActions.length === 2 || null);
  });

  it('show an appeal with its action, which another moderator decides', async () => {
    const { id } = await reportedPost('Buy looms');
    const { body: action } = await act(moderator, 'remove', 'post', id);
    await ok(author, 'POST', 'appeals', { actionId: action.id, text: 'I review this loom.' });
    await open('/moderation');
    await link(/^Appeals 1/).click();
    await page.getByText('I review this loom.').waitFor();
    await page.getByText('An advertisement.').waitFor();
    await decision().selectOption('Accept: the action is undone');
    await page.getByLabel(REASON).fill('You are right.');
    await button('Decide').click();
    await alert('Another moderator');
    expect(await page.getByLabel(REASON).inputValue()).toBe('You are right.');
    await expectAccessible();

    await open('/moderation/appeals', await world.person({ overHttp: true, role: 'moderator' }));
    await decision().selectOption('Accept: the action is undone');
    await page.getByLabel(REASON).fill('You are right.');
    await button('Decide').click();
    await status('Your decision was saved.');
    expect(await focused()).toBe('Your decision was saved.');
    expect((await app.client.get(`/v1/posts/${id}`)).status).toBe(200);
    await link('Accepted').click();
    await page.getByText('You are right.').waitFor();
  });

  it('approve and reject registrations, and say why one cannot be approved', async () => {
    await world.signUpThatWaits();
    const second = await world.signUpThatWaits();
    const { username } = (await ok(moderator, 'GET', 'admin/sign-ups')).data[1];
    await open('/moderation/sign-ups');
    const row = (at: number) => page.locator('.rows li').nth(at);
    await row(0).getByRole('button', { name: 'Approve' }).click();
    await row(0).getByText('Approved. The applicant gets a mail.').waitFor();
    expect(await focused()).toBe('Approved. The applicant gets a mail.');
    await world.person({ username });
    await row(1).getByRole('button', { name: 'Approve' }).click();
    await row(1).getByRole('alert').waitFor();
    await expectAccessible();
    await row(1).getByRole('button', { name: 'Reject' }).click();
    await row(1).getByText('Rejected.').waitFor();
    expect(questions).toHaveLength(3);
    expect((await ok(moderator, 'GET', 'admin/sign-ups')).data).toEqual([]);
    expect(second).toMatch(/^[0-9a-f]{24}$/);
  });

  it('find an account, suspend it, lift the suspension, and show both in the log', async () => {
    await open('/moderation/accounts');
    await page.getByLabel('Username begins with').fill(author!.username);
    await button('Find').click();
    await page.locator('.rows li').first().waitFor();
    await expectAccessible();
    await link('Ada Byron').click();
    await decision().selectOption('Account: suspend');
    await page.getByLabel(REASON).fill('Calm down.');
    await page.getByLabel('Also hide it from lists').check();
    await button('Decide').click();
    await status('Your decision was saved.');
    await page.locator('article').getByText('Suspended').waitFor();
    expect((await ok(moderator, 'GET', `admin/users/${author!.id}`)).standing).toMatchObject({ level: 'suspended' });
    await expectAccessible();
    await decision().selectOption('Account: lift the restriction');
    await page.getByLabel(REASON).fill('A mistake.');
    await button('Decide').click();
    await page.locator('article').getByText('Suspended').waitFor({ state: 'detached' });
    expect((await ok(moderator, 'GET', `admin/users/${author!.id}`)).standing).toBeNull();

    await link('Log').click();
    await page.getByText('lift: user').first().waitFor();
    expect(await page.locator('.rows li').count()).toBeGreaterThan(1);
    await expectAccessible();
    await page.goBack();
    await page.goBack();
    await link('Ada Byron').waitFor();
    expect(await page.getByLabel('Username begins with').inputValue()).toBe(author!.username);
  });

  it('run no script of reported content, names or notes', async () => {
    page.on('request', (request) => {
      const isOwn = new URL(request.url()).origin === new URL(app.url).origin;
      if (!isOwn && request.resourceType() !== 'image') complaints.push(`${request.resourceType()} ${request.url()}`);
    });
    const note = '<img src=x onerror=alert(1)>';
    const { id, caseId } = await reportedPost(note, [...VECTORS, 'The end.'].join('\n\n'));
    await ok(await world.person({ fullName: note }), 'POST', 'reports', {
      targetKind: 'post',
      targetId: id,
      reason: 'spam',
      note: VECTORS.join(' ').slice(0, 490),
    });
    await act(colleague, 'warn', 'user', author!.id, { publicReason: note, privateNote: note });
    await open('/moderation');
    await link(note).click();
    await page.locator('.prose', { hasText: 'The end.' }).waitFor();
    await page.getByText(`Note: ${note}`).waitFor();
    await until(async () => ((await page.evaluate('document.readyState')) === 'complete' ? true : null));
    expect(new URL(page.url()).pathname).toBe(`/moderation/cases/${caseId}`);
  });

  it('say to other accounts that the page is for moderators, and show them nothing', async () => {
    const { caseId } = await reportedPost('Buy looms');
    const user = await world.person({ overHttp: true });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await open(`/moderation/cases/${caseId}`, user);
    await page.getByText('This page is for moderators.').waitFor();
    expect(requests.filter((path) => /^\/v1\/(moderation|admin)/.test(path))).toEqual([]);
    expect(await page.getByText('Buy looms').count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
  });
});

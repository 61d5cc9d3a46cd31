import { MAX_CONTENT } from '../../src/posts/post-rules.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const HTML =
  '<article><h2>Note G</h2><p>It <b>weaves</b> H<sub>2</sub>O, $5 and $6.</p><iframe src="https://a.example"></iframe></article>';
const MARKDOWN = '## Note G\n\nIt **weaves** H<sub>2</sub>O, $5 and $6.\n';
const DROPPED = ['article', 'iframe'].map((element) => ({ element, count: 1 }));

describe('a text written as HTML', () => {
  const app = useApp();
  const { world } = app;
  let ada: Person;

  beforeAll(async () => {
    ada = await world.person();
  });

  const post = (content: string, rest: object = {}) => {
    const body = { title: 'Notes', type: 'article', content, contentFormat: 'html', ...rest };
    return app.client.post('/v1/posts', { token: ada.token, body });
  };

  it('is stored as Markdown, and the response counts dropped elements', async () => {
    const { status, body } = await post(HTML);
    await app.untilDelivered();
    const read = (await app.client.get(`/v1/posts/${body.id}`)).body;

    expect([status, body.content, body.dropped]).toEqual([201, MARKDOWN, DROPPED]);
    expect([read.content, read.contentPreview]).toEqual([MARKDOWN, 'Note G It weaves H2O, $5 and $6.']);
    expect(read).not.toHaveProperty('dropped');
  });

  it('is the same response when the request is repeated', async () => {
    const headers = { 'idempotency-key': `key-of-${ada.id}` };
    const body = { title: 'Notes', type: 'article', content: HTML, contentFormat: 'html' };
    const first = await app.client.post('/v1/posts', { token: ada.token, body, headers });
    const again = await app.client.post('/v1/posts', { token: ada.token, body, headers });
    expect(first.body.dropped).toEqual(DROPPED);
    expect(again.body).toEqual(first.body);
  });

  it('edits a post', async () => {
    const { id } = (await post('<p>one</p>')).body;
    const edit = { token: ada.token, body: { content: HTML, contentFormat: 'html' } };
    const { status, body } = await app.client.patch(`/v1/posts/${id}`, edit);
    expect([status, body.content, body.dropped]).toEqual([200, MARKDOWN, DROPPED]);
  });

  it('starts and saves a draft', async () => {
    const fields = { content: HTML, contentFormat: 'html' };
    const created = await app.client.post('/v1/drafts', { token: ada.token, body: fields });
    const path = `/v1/drafts/${created.body.id}`;
    const save = { token: ada.token, body: { content: '<p></p>', contentFormat: 'html' } };
    const saved = await app.client.patch(path, { ...save, headers: { 'if-match': created.headers.get('etag')! } });

    expect([created.body.content, created.body.dropped]).toEqual([MARKDOWN, DROPPED]);
    expect([saved.status, saved.body.dropped]).toEqual([200, []]);
    expect((await app.client.get(path, { token: ada.token })).body.content).toBe('');
  });

  it('is previewed as readers will see it', async () => {
    const body = { content: HTML, contentFormat: 'html' };
    const preview = (await app.client.post('/v1/render', { token: ada.token, body })).body;
    const same = (await app.client.post('/v1/render', { token: ada.token, body: { content: MARKDOWN } })).body;
    expect(preview).toEqual({ ...same, dropped: DROPPED });
  });

  it.each([
    ['without text', '<script>a</script>', 'has no text'],
    ['too deep', '<div>'.repeat(200), 'is nested too deeply, or has too many elements'],
    [
      'too long as Markdown',
      `<dl><dt>${'|'.repeat(MAX_CONTENT / 4)}</dl>`,
      `is longer than ${MAX_CONTENT} characters as Markdown`,
    ],
    [
      'too long',
      '*'.repeat(MAX_CONTENT + 1),
      `must be 1 to ${MAX_CONTENT} well-formed characters, not all of them blank`,
    ],
  ])('is refused if it is %s', async (_, content, message) => {
    expectProblem(await post(content), 400, 'invalid_input', { errors: [{ field: 'content', message }] });
  });

  it('has no other format', async () => {
    expectProblem(await post('{}', { contentFormat: 'json' }), 400, 'invalid_input');
  });
});

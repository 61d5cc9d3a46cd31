import { ApiError, type Problem } from '../../../sdk/src/problem.js';
import { failureOf } from '../account/use-action.js';
import { api, unwrap } from '../client.js';
import type { Texts } from '../texts/en.js';
import { type Draft, type DraftCard, FIELD_NAMES, type Fields, fieldsOf, isSame, NO_FIELDS } from './fields.js';
import { CONFLICT, localCopies, newKey } from './local-copies.js';

export type SyncState =
  | { kind: 'saved' | 'waiting' | 'saving' | 'signed-out' | 'gone' }
  | { kind: 'failed'; text: string }
  /** Another tab or device has saved another text. */
  | { kind: 'conflict'; theirs: Draft };

const SAVE_AFTER_MS = 1_500;
const RETRY_AFTER_MS = 5_000;

/**
 * The text of one draft: on this page, in the local copies, and on the server. Saves each pause of typing with the `ETag` of the last save,
 * one request at a time. The local copy exists until the server has the text.
 */
export class DraftSync {
  fields: Fields = NO_FIELDS;
  state: SyncState = { kind: 'saved' };
  /** counts texts that were not typed: of a conflict, or of an earlier version */
  generation = 0;
  /** as of the last save; undefined before the first one */
  card: DraftCard | undefined;
  onChange: () => void = () => undefined;
  private id: string | undefined;
  private saved: Fields = NO_FIELDS;
  private etag = '';
  private key = newKey();
  /** values that the server refuses, and why */
  private rejected: Partial<Record<keyof Fields, { value: string; message: string }>> = {};
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | undefined;

  private constructor(
    private readonly account: string,
    private readonly texts: Texts,
  ) {}

  /** Opens a draft, the draft of a post, or an empty text, with what a local copy has beyond it. @throws ApiError */
  static async open(texts: Texts, { id, postId }: { id?: string; postId?: string }): Promise<DraftSync> {
    const { id: account } = await unwrap(api.GET('/v1/auth/me'));
    const sync = new DraftSync(account, texts);
    sync.id = postId === undefined ? id : await draftOf(postId);
    if (postId !== undefined) sync.showAddress();
    const missing = sync.id === undefined ? undefined : await sync.load(sync.id).catch(unlessMissing);
    const copy = localCopies.take(sync.name);
    if (copy === undefined && missing !== undefined) throw missing;
    if (copy === undefined || isSame(copy.fields, sync.saved)) return sync;
    sync.fields = copy.fields;
    sync.key = copy.key;
    if (missing !== undefined) sync.state = { kind: 'gone' };
    if (missing !== undefined || copy.version === (sync.card?.version ?? 0)) sync.changed();
    else sync.meet(sync.theirs());
    return sync;
  }

  change(fields: Partial<Fields>): void {
    this.fields = { ...this.fields, ...fields };
    this.changed();
  }

  /** Changes fields that the author does not type. */
  replace(fields: Partial<Fields>): void {
    this.generation++;
    this.change(fields);
  }

  /** Saves now. @returns whether the server has the whole text */
  async flush(): Promise<boolean> {
    clearTimeout(this.timer);
    await this.running;
    if (this.state.kind === 'conflict' || this.state.kind === 'gone') return false;
    this.running ??= this.save().finally(() => (this.running = undefined));
    await this.running;
    return this.state.kind === 'saved';
  }

  /** Ends a conflict with the text of this page, or with the one of the server. */
  async resolve(theirs: Draft, choice: 'mine' | 'theirs'): Promise<void> {
    this.saved = fieldsOf(theirs);
    this.card = theirs;
    if (choice === 'theirs') this.replace(this.saved);
    this.show({ kind: 'waiting' });
    await this.flush();
  }

  /** Saves the text as a new draft, after the draft was deleted or published elsewhere. */
  async saveAsNew(): Promise<void> {
    localCopies.remove(this.name);
    [this.id, this.card, this.saved, this.key] = [undefined, undefined, NO_FIELDS, newKey()];
    this.show({ kind: 'waiting' });
    await this.flush();
  }

  /** Takes the card and the ETag of another change of the draft: its schedule, its link. */
  updated(card: DraftCard): void {
    this.card = card;
    this.onChange();
  }

  /** Ends saving: the draft was published or deleted. */
  close(): void {
    clearTimeout(this.timer);
    this.show({ kind: 'gone' });
    localCopies.remove(this.name);
  }

  get isEmpty(): boolean {
    return this.id === undefined && isSame(this.fields, NO_FIELDS);
  }

  /** Messages of the server about fields that it does not accept. */
  get errors(): Partial<Record<keyof Fields, string>> {
    const isWrong = (name: keyof Fields): boolean => this.rejected[name]?.value === JSON.stringify(this.fields[name]);
    return Object.fromEntries(FIELD_NAMES.filter(isWrong).map((name) => [name, this.rejected[name]!.message]));
  }

  get ifMatch(): string {
    return this.etag;
  }

  private get name(): string {
    return this.id ?? `new-${this.account}`;
  }

  private changed(): void {
    this.copy(this.state.kind === 'conflict' ? CONFLICT : (this.card?.version ?? 0));
    if (this.state.kind === 'conflict' || this.state.kind === 'gone') return this.onChange();
    this.show({ kind: 'waiting' });
    this.saveAfter(SAVE_AFTER_MS);
  }

  private copy(version: number): void {
    const { fields, key } = this;
    localCopies.write(this.name, { fields, key, version });
  }

  private saveAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), ms);
  }

  private async save(): Promise<void> {
    const sent = this.fields;
    const body = this.changes();
    if (Object.keys(body).length === 0) return this.settle();
    this.show({ kind: 'saving' });
    try {
      if (this.id === undefined) {
        // The same body under the same key: a creation whose response was lost is not repeated.
        const header = { 'Idempotency-Key': this.key };
        const { data, error, response } = await api.POST('/v1/drafts', { params: { header }, body: {} });
        if (data === undefined) return await this.refused(error, response);
        localCopies.remove(this.name);
        this.accept(data, response);
        this.showAddress();
      }
      const params = { path: { id: this.id! }, header: { 'If-Match': this.etag } };
      const { data, error, response } = await api.PATCH('/v1/drafts/{id}', { params, body });
      if (data === undefined) return await this.refused(error, response, { ...this.saved, ...body });
      this.saved = { ...this.saved, ...body };
      this.accept(data, response);
    } catch {
      return this.failed(this.texts.offline, RETRY_AFTER_MS);
    }
    if (this.fields === sent) this.settle();
    else this.changed();
  }

  /** Returns the fields that the server does not have, except for those that it has refused. */
  private changes(): Partial<Fields> {
    const isChanged = (name: keyof Fields): boolean => {
      const value = JSON.stringify(this.fields[name]);
      return value !== JSON.stringify(this.saved[name]) && value !== this.rejected[name]?.value;
    };
    return Object.fromEntries(FIELD_NAMES.filter(isChanged).map((name) => [name, this.fields[name]]));
  }

  private accept(card: DraftCard, response: Response): void {
    [this.id, this.card] = [card.id, card];
    this.etag = response.headers.get('etag')!;
  }

  private settle(): void {
    if (Object.keys(this.errors).length > 0) return this.show({ kind: 'failed', text: this.texts.editor.wrongFields });
    localCopies.remove(this.name);
    this.show({ kind: 'saved' });
  }

  /** @param sent the whole text that the server refused */
  private async refused(problem: Problem, response: Response, sent?: Fields): Promise<void> {
    if (response.status === 401) return this.show({ kind: 'signed-out' });
    if (response.status === 404) return this.show({ kind: 'gone' });
    if (response.status === 412 && sent !== undefined) {
      await this.load(this.id!);
      // The response of an earlier attempt was lost.
      if (isSame(this.saved, sent)) return this.save();
      return this.meet(this.theirs());
    }
    const { text, fields } = failureOf(problem, response, this.texts);
    const wrong = FIELD_NAMES.filter((name) => fields[name] !== undefined);
    if (response.status !== 400 || wrong.length === 0)
      return this.failed(text, response.status < 500 ? undefined : RETRY_AFTER_MS);
    for (const name of wrong) {
      this.rejected[name] = { value: JSON.stringify(sent?.[name]), message: fields[name]! };
    }
    return this.save();
  }

  private showAddress(): void {
    history.replaceState(null, '', `/write/${this.id}`);
  }

  private theirs(): Draft {
    return { ...this.card!, content: this.saved.content };
  }

  private meet(theirs: Draft): void {
    this.copy(CONFLICT);
    this.show({ kind: 'conflict', theirs });
  }

  private failed(text: string, retryMs: number | undefined): void {
    this.show({ kind: 'failed', text });
    if (retryMs !== undefined) this.saveAfter(retryMs);
  }

  private show(state: SyncState): void {
    this.state = state;
    this.onChange();
  }

  private async load(id: string): Promise<void> {
    const { data, error, response } = await api.GET('/v1/drafts/{id}', { params: { path: { id } } });
    const draft = await unwrap({ data, error, response });
    this.accept(draft!, response);
    this.saved = fieldsOf(draft!);
    if (this.state.kind === 'saved') this.fields = this.saved;
  }
}

/** Returns the id of the draft that edits a post, which may exist already. */
async function draftOf(postId: string): Promise<string> {
  const { data, error, response } = await api.POST('/v1/drafts', { body: { postId } });
  if (error?.code !== 'draft_exists') return (await unwrap({ data, error, response }))!.id;
  for await (const draft of api.list('/v1/drafts')) if (draft.postId === postId) return draft.id;
  throw new Error('the draft was just published');
}

/** @throws the error unless the draft does not exist */
function unlessMissing(error: unknown): ApiError {
  if (error instanceof ApiError && error.problem.status === 404) return error;
  throw error;
}

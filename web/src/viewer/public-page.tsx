import { type ComponentChildren, render } from 'preact';
import { Action } from '../account/action.js';
import { SignedIn } from '../account/signed-in.js';
import type { Comment, Schemas } from '../api.js';
import { account, api, watchAccount, unwrap } from '../client.js';
import { CommentItem } from '../components/comments.js';
import { TextsContext } from '../components/context.js';
import { loadPublicTexts } from '../texts/browser.js';
import type { Texts } from '../texts/en.js';
import { trusted } from '../trusted.js';
import type { Send } from '../visit.js';
import { showAccountMenu } from './account-menu.js';
import { CommentButtons } from './comment-buttons.js';
import { CommentForm } from './comment-form.js';
import { PostButtons } from './post-buttons.js';
import { CollectionButtons, TagButtons, UserButtons } from './relation-buttons.js';
import { ReportButton } from './report-button.js';
import { Toggle } from './buttons.js';

type ViewerState = Schemas['Viewer'];

/** Ids that one request takes. */
const MAX_IDS = 100;
/** in the language of the document */
let texts: Texts;

/** Adds to a public page what belongs to its reader. */
export async function addOwnParts(): Promise<void> {
  // Nothing on a public page has a text of a frame.
  texts = (await loadPublicTexts([document.documentElement.lang])) as Texts;
  showAccountMenu(texts);
  if (!(await api.resume().catch(() => false))) return;
  const me = account!.id;
  watchAccount((now) => {
    document.documentElement.classList.toggle('signed-out', now === undefined);
    if (now !== undefined && now.id !== me) location.reload();
  });
  await addButtons([document.body]);
  addCommentForm();
}

/** Records a view or read as the signed-in account. */
export const sendEvent: Send = (id, body) => api.POST('/v1/posts/{id}/events', { params: { path: { id } }, body });

/** Adds the buttons of the reader to parts of a page, with one request for the states of all that they show. */
export async function addButtons(parts: HTMLElement[]): Promise<void> {
  if (account === undefined) return;
  const me = account.id;
  const elementsOf = (name: string, value = ''): HTMLElement[] => {
    const selector = `[data-${name}${value && `="${value}"`}]`;
    return parts.flatMap((part) => [
      ...(part.matches(selector) ? [part] : []),
      ...part.querySelectorAll<HTMLElement>(selector),
    ]);
  };
  const idsOf = (...names: string[]): string[] => {
    const ids = names.flatMap((name) => elementsOf(name).map(({ dataset }) => dataset[name]!));
    return [...new Set(ids)].slice(0, MAX_IDS);
  };
  const [posts, comments, collections] = [idsOf('post', 'related'), idsOf('comment'), idsOf('collection')];
  const users = idsOf('user', 'author');
  const tags = idsOf('tag');
  const query = Object.entries({ posts, comments, collections, users, tags }).filter(([, ids]) => ids.length > 0);
  if (query.length === 0) return;
  const own = await unwrap(api.GET('/v1/viewer', { params: { query: Object.fromEntries(query) } }));
  for (const state of own.posts) {
    for (const place of elementsOf('post', state.postId)) addPostButtons(place, state, me);
    if (state.isHidden) elementsOf('related', state.postId).forEach(hideUnwanted);
  }
  for (const { commentId, vote } of own.comments)
    for (const place of elementsOf('comment', commentId)) addCommentButtons(place, vote, me);
  for (const state of own.collections)
    for (const place of elementsOf('collection', state.collectionId))
      add(place, <CollectionButtons likes={Number(place.dataset['likes'])} own={state} />);
  for (const state of own.tags)
    for (const place of elementsOf('tag', state.tag)) add(place, <TagButtons own={state} />);
  for (const state of own.users) {
    for (const place of elementsOf('user', state.userId)) addUserButtons(place, state, me);
    if (state.isBlocked || state.isMuted) elementsOf('author', state.userId).forEach(hideUnwanted);
  }
}

function addPostButtons(place: HTMLElement, own: ViewerState['posts'][number], me: string): void {
  const { postId: id } = own;
  const params = { path: { id } };
  const isPage = place.dataset['writer'] !== undefined;
  const isOwn = place.dataset['writer'] === me;
  const { viewer } = texts;
  replaceLikes(
    place,
    <PostButtons
      id={id}
      likes={Number(place.dataset['likes'])}
      own={own}
      hidden={(isHidden) => !isPage && place.classList.toggle('is-hidden', isHidden)}
    >
      {isPage && (
        <Toggle
          labels={[viewer.watch, viewer.watched]}
          isOn={own.watch === 'watching'}
          send={(isOn) =>
            isOn
              ? api.PUT('/v1/posts/{id}/watch', { params, body: { level: 'watching' } })
              : api.DELETE('/v1/posts/{id}/watch', { params })
          }
        />
      )}
      {isPage && !isOwn && <ReportButton kind="post" id={id} />}
      {isOwn && (
        <>
          <a href={`/write?post=${id}`}>{viewer.edit}</a>
          <a href={`/stats/${id}`}>{viewer.pages.stats}</a>
          <Action
            label={viewer.remove}
            confirm={viewer.removePost}
            send={() => api.DELETE('/v1/posts/{idOrSlug}', { params: { path: { idOrSlug: id } } })}
            done={() => location.assign('/drafts')}
          />
        </>
      )}
    </PostButtons>,
  );
}

function addCommentButtons(place: HTMLElement, vote: ViewerState['comments'][number]['vote'], me: string): void {
  const { comment: id = '', author, likes } = place.dataset;
  const postId = document.querySelector<HTMLElement>('[data-comments-of]')?.dataset['commentsOf'];
  const changed = (html?: string): void => {
    const prose = place.querySelector('.prose')!;
    if (html !== undefined) prose.innerHTML = trusted(html);
    else {
      prose.className = 'empty';
      prose.textContent = texts.deletedComment;
      place.querySelector('.own')!.remove();
    }
  };
  replaceLikes(
    place,
    <CommentButtons
      id={id}
      postId={postId}
      likes={Number(likes)}
      vote={vote}
      isOwn={author === me}
      created={(comment, html) => addComment(place, comment, html)}
      changed={changed}
    />,
  );
}

function addUserButtons(place: HTMLElement, own: ViewerState['users'][number], me: string): void {
  const { username, isProfile } = place.dataset;
  const hasAll = isProfile !== undefined;
  const parent = hasAll ? place.parentElement! : place;
  if (own.userId !== me) add(parent, <UserButtons username={username!} own={own} hasAll={hasAll} />);
  else if (hasAll) add(parent, <a href="/settings">{texts.viewer.editProfile}</a>);
}

/** Hides a post, the link to one, or the text of a comment by a blocked or muted account. */
function hideUnwanted(place: HTMLElement): void {
  if (place.dataset['comment'] === undefined) place.hidden = true;
  else {
    const note = Object.assign(document.createElement('p'), { className: 'empty', textContent: texts.viewer.unwanted });
    place.replaceChildren(note);
  }
}

function addCommentForm(): void {
  const place = document.querySelector<HTMLElement>('[data-comments-of]');
  if (place === null) return;
  const form = document.createElement('div');
  form.className = 'own-form';
  place.replaceChildren();
  place.before(form);
  show(
    <SignedIn>
      <CommentForm
        postId={place.dataset['commentsOf']!}
        created={(comment, html) => addComment(place, comment, html)}
      />
    </SignedIn>,
    form,
  );
}

/** Shows a new comment below its form or its parent, with its buttons, and moves the focus to it. */
function addComment(after: HTMLElement, comment: Comment, html: string): void {
  const list = document.createElement('ol');
  list.className = 'thread';
  after.after(list);
  document.querySelector('#comments > .empty')?.remove();
  show(<CommentItem branch={{ comment, html, replies: [] }} />, list);
  const article = list.querySelector<HTMLElement>('[data-comment]')!;
  addCommentButtons(article, null, account!.id);
  article.tabIndex = -1;
  article.focus();
}

function replaceLikes(place: HTMLElement, content: ComponentChildren): void {
  const stats = place.querySelector<HTMLElement>(':scope > .stats, .post-foot > .stats, .card-foot > .stats')!;
  stats.querySelector('.likes')?.remove();
  add(stats, content);
}

function add(place: HTMLElement, content: ComponentChildren): void {
  const part = document.createElement('div');
  part.className = 'own-part';
  place.append(part);
  show(content, part);
}

function show(content: ComponentChildren, place: Element): void {
  render(<TextsContext.Provider value={texts}>{content}</TextsContext.Provider>, place);
}

import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import { SelectField } from '../account/request-form.js';
import { Rows, useRows } from '../account/rows.js';
import { OwnPage } from '../account/signed-in.js';
import { postPath, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';

const TABS = ['drafts', 'posts', 'trash'] as const;
type Tab = (typeof TABS)[number];

/** `/drafts`: drafts, posts and deleted posts of an account. */
export function DraftsPage() {
  return (
    <OwnPage title={useTexts().drafts.title} isWide>
      <Lists />
    </OwnPage>
  );
}

function Lists() {
  const texts = useTexts().drafts;
  const [tab, setTab] = useState<Tab>(() => {
    const name = new URLSearchParams(location.search).get('tab');
    return TABS.find((one) => one === name) ?? 'drafts';
  });
  const open = (next: Tab) => (event: Event) => {
    event.preventDefault();
    history.replaceState(null, '', `/drafts?tab=${next}`);
    setTab(next);
  };
  return (
    <div class="drafts">
      <a class="button" href="/write">
        {texts.write}
      </a>
      <nav class="choices" aria-label={texts.title}>
        {TABS.map((one) => (
          <a key={one} href={`/drafts?tab=${one}`} aria-current={one === tab ? 'page' : undefined} onClick={open(one)}>
            {texts.tabs[one]}
          </a>
        ))}
      </nav>
      {tab === 'drafts' && <Drafts />}
      {tab === 'posts' && <Posts />}
      {tab === 'trash' && <Trash />}
    </div>
  );
}

function Drafts() {
  const texts = useTexts();
  const list = useRows((cursor) => unwrap(api.GET('/v1/drafts', { params: { query: { ...cursor } } })));
  return (
    <Rows list={list} empty={texts.drafts.noDrafts}>
      {({ id, title, savedAt, publishAt, failure, postId }) => (
        <li key={id}>
          <p>
            <a href={`/write/${id}`} dir="auto">
              {title || texts.editor.untitled}
            </a>
            <br />
            <span class="small">
              {publishAt === null ? texts.drafts.saved : texts.editor.scheduledFor} <Moment at={publishAt ?? savedAt} />
              {postId !== null && ` · ${texts.drafts.isEdit}`}
              {failure !== null && ` · ${texts.editor.scheduleFailed(failure)}`}
            </span>
          </p>
          <Action
            label={texts.drafts.remove}
            confirm={texts.editor.confirmRemove(title || texts.editor.untitled)}
            send={() => api.DELETE('/v1/drafts/{id}', { params: { path: { id } } })}
            done={() => list.remove(id)}
          />
        </li>
      )}
    </Rows>
  );
}

type Visibility = Schemas['OwnPostCard']['visibility'];

function Posts() {
  const texts = useTexts();
  const [visibility, setVisibility] = useState<Visibility>();
  return (
    <>
      <SelectField
        name="visibility"
        label={texts.editor.visibility}
        options={{ '': texts.drafts.allPosts, ...texts.editor.visibilities }}
        onChange={(value) => setVisibility((value || undefined) as Visibility | undefined)}
      />
      <PostRows key={visibility} {...(visibility && { visibility })} />
    </>
  );
}

function PostRows(filter: { visibility?: Visibility }) {
  const texts = useTexts();
  const list = useRows((cursor) => unwrap(api.GET('/v1/posts/mine', { params: { query: { ...cursor, ...filter } } })));
  return (
    <Rows list={list} empty={texts.noPosts}>
      {(post) => {
        const { id, title, createdAt, visibility } = post;
        const params = { path: { idOrSlug: id } };
        const next = visibility === 'public' ? 'unlisted' : 'public';
        return (
          <li key={id}>
            <p>
              <a href={visibility === 'private' ? `/write?post=${id}` : postPath(post)} dir="auto">
                {title}
              </a>
              <br />
              <span class="small">
                <Moment at={createdAt} /> · {texts.editor.visibilities[visibility]}
              </span>
            </p>
            <div class="actions">
              <a class="tool" href={`/write?post=${id}`}>
                {texts.drafts.edit}
              </a>
              <Action
                label={texts.drafts.show[next]}
                send={() => api.PATCH('/v1/posts/{idOrSlug}', { params, body: { visibility: next } })}
                done={() => list.replace({ ...post, visibility: next })}
              />
              <Action
                label={texts.drafts.remove}
                confirm={texts.drafts.confirmRemovePost(title)}
                send={() => api.DELETE('/v1/posts/{idOrSlug}', { params })}
                done={() => list.remove(id)}
              />
            </div>
          </li>
        );
      }}
    </Rows>
  );
}

function Trash() {
  const texts = useTexts();
  const list = useRows((cursor) =>
    unwrap(api.GET('/v1/drafts', { params: { query: { state: 'trashed', ...cursor } } })),
  );
  return (
    <>
      <p class="small">{texts.drafts.trashHint}</p>
      <Rows list={list} empty={texts.drafts.noTrash}>
        {({ id, title, savedAt }) => (
          <li key={id}>
            <p>
              <span dir="auto">{title}</span>
              <br />
              <span class="small">
                {texts.drafts.deleted} <Moment at={savedAt} />
              </span>
            </p>
            <div class="actions">
              <Action
                label={texts.drafts.restore}
                send={() => api.POST('/v1/drafts/{id}/restore', { params: { path: { id } } })}
                done={() => list.remove(id)}
              />
              <Action
                label={texts.drafts.removeForever}
                confirm={texts.drafts.confirmRemoveForever(title)}
                send={() => api.DELETE('/v1/drafts/{id}', { params: { path: { id } } })}
                done={() => list.remove(id)}
              />
            </div>
          </li>
        )}
      </Rows>
    </>
  );
}

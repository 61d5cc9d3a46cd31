import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { collectionPath, postPath, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { AuthorLink } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { Time } from '../components/time.js';
import { Done } from './account-page.js';
import { RequestForm } from './request-form.js';
import { OwnPage } from './signed-in.js';
import { watchNotifications } from '../viewer/notification-stream.js';
import { useOptimistic } from '../viewer/use-optimistic.js';
import { useLoaded } from './use-loaded.js';

type Notification = Schemas['Notification'];
type Unread = Schemas['Unread'];

/** `/notifications`: the latest notifications of an account. */
export function NotificationsPage() {
  return (
    <OwnPage title={useTexts().account.notificationsTitle}>
      <Notifications />
    </OwnPage>
  );
}

/** The list of the first request, changed by the stream: new ones appear, and the title has the number of unread ones. */
function Notifications() {
  const texts = useTexts().account;
  const [isRead, setRead] = useState(false);
  const { data, wait, reload } = useLoaded(() => unwrap(api.GET('/v1/notifications', {})));
  const [unread, setUnread] = useState<Unread>();
  const listed = useRef<number | undefined>(undefined);
  listed.current = data?.unread.count;
  useEffect(() => {
    return watchNotifications((event) => {
      if (event.event === 'unread') setUnread(event.data);
      // A stream begins with `unread`, without what came between the list and the stream.
      if (event.event === 'unread' && event.data.count === listed.current) return;
      setRead(false);
      reload();
    });
  }, []);
  useUnreadInTitle(unread ?? data?.unread);
  if (data === undefined) return wait;
  const rows = data.data;
  if (rows.length === 0) return <p>{texts.noNotifications}</p>;
  const readAll = (): void => {
    setRead(true);
    reload();
  };
  return (
    <>
      <ul class="notifications">
        {rows.map((row) => (
          <li key={row.id} class={row.isRead ? '' : 'unread'}>
            <Sentence {...row} />
            {row.comment !== null && <blockquote dir="auto">{row.comment.content}</blockquote>}
            <p class="small">
              <Time at={row.updatedAt} /> {!row.isRead && <MarkRead id={row.id} done={reload} />}
            </p>
          </li>
        ))}
      </ul>
      {isRead ? (
        <Done>{texts.allRead}</Done>
      ) : (
        <RequestForm
          action={texts.markAllRead}
          send={() => api.PUT('/v1/notifications/read', { body: { upTo: rows[0]!.id } })}
          done={readAll}
        />
      )}
    </>
  );
}

/** Shows the number before the title, where a tab has space. */
function useUnreadInTitle(unread: Unread | undefined): void {
  const { unreadTitle } = useTexts().viewer;
  useEffect(() => {
    const title = document.title.replace(/^\([^)]*\) /, '');
    document.title = unread === undefined || unread.count === 0 ? title : unreadTitle(unread.count, title);
  }, [unread?.count]);
}

function MarkRead({ id, done }: { id: string; done: () => void }) {
  const texts = useTexts().viewer;
  const [{ isRead }, change] = useOptimistic({ isRead: false });
  const mark = async (): Promise<void> => {
    await change({ isRead: true }, () => api.PUT('/v1/notifications/{id}/read', { params: { path: { id } } }));
    done();
  };
  if (isRead) return null;
  return (
    <span class="own">
      <button type="button" onClick={() => void mark()}>
        {texts.markRead}
      </button>
    </span>
  );
}

function Sentence({ kind, actors, actorsCount, post, collection, action }: Notification) {
  const texts = useTexts().account;
  const others = actorsCount - actors.length;
  const target = post ?? collection;
  return (
    <p>
      {actors.map((actor, at) => (
        <Fragment key={actor.id}>
          {at > 0 && ', '}
          <AuthorLink author={actor} />
        </Fragment>
      ))}
      {others > 0 && ` ${texts.andOthers(others)}`} {texts.kinds[kind]}{' '}
      {target !== null && (
        <a href={post === null ? collectionPath(target) : postPath(target)} dir="auto">
          {target.title}
        </a>
      )}
      {action !== null && <a href={`/moderation#action=${action.id}`}>{texts.showAction}</a>}
    </p>
  );
}

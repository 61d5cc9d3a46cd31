import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { components } from '../../../sdk/src/schema.js';
import { unwrap } from '../../../sdk/src/problem.js';
import { collectionPath, postPath } from '../api.js';
import { api } from '../client.js';
import { AuthorLink } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { Time } from '../components/time.js';
import { AccountPage, Done } from './account-page.js';
import { RequestForm } from './request-form.js';
import { SignedIn } from './signed-in.js';
import { useLoaded } from './use-loaded.js';

type Notification = components['schemas']['Notification'];

/** `/notifications`: the latest notifications of an account. */
export function NotificationsPage() {
  return (
    <AccountPage title={useTexts().account.notificationsTitle}>
      <SignedIn>
        <Notifications />
      </SignedIn>
    </AccountPage>
  );
}

function Notifications() {
  const texts = useTexts().account;
  const [isRead, setRead] = useState(false);
  const { data, failure, reload } = useLoaded(() => unwrap(api.GET('/v1/notifications', {})));
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  if (data === undefined) return <p role="status">…</p>;
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
              <Time at={row.updatedAt} />
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

import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Time } from '../components/time.js';
import { AccountPage, BrokenLink, Done, useFragment } from './account-page.js';
import { RequestForm, TextField } from './request-form.js';
import { OwnPage, SignedIn } from './signed-in.js';
import { useLoaded, useReload } from './use-loaded.js';

type Action = Schemas['OwnAction'];
type Export = Schemas['Export'];

/** `/exports/<id>`: the file of an export. */
export function ExportPage() {
  return (
    <OwnPage title={useTexts().account.exportTitle}>
      <ExportFile id={location.pathname.split('/')[2] ?? ''} />
    </OwnPage>
  );
}

function ExportFile({ id }: { id: string }) {
  const texts = useTexts().account;
  const { data, failure, reload } = useLoaded(() =>
    unwrap(api.GET('/v1/users/me/exports/{id}', { params: { path: { id } } })),
  );
  const isWaiting = data?.state === 'waiting';
  useReload(reload, isWaiting);
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  if (data === undefined || isWaiting) return <p role="status">{texts.exportWaiting}</p>;
  return data.url === null ? <p role="alert">{texts.exportFailed}</p> : <ExportLink {...data} url={data.url} />;
}

function ExportLink({ url, bytes, expiresAt }: Export & { url: string }) {
  const texts = useTexts().account;
  return (
    <Done>
      <p>
        <a class="button" href={url} download>
          {texts.exportDownload(Math.max(1, Math.round((bytes ?? 0) / 1_000)))}
        </a>
      </p>
      <p class="small">
        {texts.exportUntil} <Time at={expiresAt} />
      </p>
    </Done>
  );
}

/** `/moderation#action=<id>`: what moderators did with content of this account, and the appeal against it. */
export function OwnModeration() {
  const id = useFragment('action');
  return (
    <AccountPage title={useTexts().account.moderationTitle}>
      {id === undefined ? (
        <BrokenLink />
      ) : (
        <SignedIn>
          <OwnAction id={id} />
        </SignedIn>
      )}
    </AccountPage>
  );
}

function OwnAction({ id }: { id: string }) {
  const texts = useTexts().account;
  const { data, wait, reload } = useLoaded(() => findAction(id));
  if (data === undefined) return wait;
  if (data === null) return <BrokenLink />;
  const { kind, targetKind, publicReason, createdAt, until, appeal, canAppeal, isReversed } = data;
  return (
    <>
      <p>
        <strong>{texts.actionOn(kind, targetKind)}</strong> <Time at={createdAt} />
      </p>
      {publicReason !== '' && <blockquote dir="auto">{publicReason}</blockquote>}
      {until !== null && (
        <p>
          {texts.until} <Time at={until} />
        </p>
      )}
      {isReversed && <p>{texts.reversed}</p>}
      {appeal !== null && (
        <Done>
          <p>{texts.appealState[appeal.state]}</p>
          <blockquote dir="auto">{appeal.text}</blockquote>
          {appeal.reason !== '' && <p dir="auto">{appeal.reason}</p>}
        </Done>
      )}
      {canAppeal && appeal === null && (
        <RequestForm
          action={texts.appeal.action}
          send={({ text = '' }) => api.POST('/v1/appeals', { body: { actionId: id, text } })}
          done={reload}
        >
          <TextField name="text" label={texts.appealText} maxLength={2_000} />
        </RequestForm>
      )}
    </>
  );
}

async function findAction(id: string): Promise<Action | null> {
  for await (const action of api.list('/v1/users/me/moderation', {})) if (action.id === id) return action;
  return null;
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import { Labelled } from '../account/request-form.js';
import type { Result } from '../account/use-action.js';
import { useLoaded } from '../account/use-loaded.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { Compare } from './compare.js';
import type { DraftSync } from './draft-sync.js';
import { type DraftCard, type Fields, fieldsOf } from './fields.js';

type Props = { sync: DraftSync; card: DraftCard };
type Collection = { collectionId: string | undefined; choose: (id: string | undefined) => void };

/** What an author does with a saved draft besides writing. */
export function DraftActions({ sync, card, ...collection }: Props & Collection) {
  const texts = useTexts().editor;
  const params = { path: { id: card.id } };
  return (
    <div class="draft-actions">
      <Schedule sync={sync} card={card} />
      <Details summary={texts.collection}>
        <Collections {...collection} />
      </Details>
      <Share sync={sync} card={card} />
      <Details summary={texts.versions}>
        <Versions sync={sync} card={card} />
      </Details>
      <Action
        label={texts.remove}
        confirm={texts.confirmRemove(card.title || texts.untitled)}
        send={() => api.DELETE('/v1/drafts/{id}', { params })}
        done={() => {
          sync.close();
          location.assign('/drafts');
        }}
      />
    </div>
  );
}

function Schedule({ sync, card: { id, publishAt, failure } }: Props) {
  const texts = useTexts().editor;
  const params = { path: { id } };
  const [at, setAt] = useState('');
  const updated = (card: DraftCard | undefined): void => sync.updated(card!);
  const schedule = async (): Promise<Result<DraftCard>> => {
    await sync.flush();
    return api.PUT('/v1/drafts/{id}/schedule', { params, body: { publishAt: new Date(at).toISOString() } });
  };
  if (publishAt !== null)
    return (
      <div class="actions">
        <p>
          {texts.scheduledFor} <Moment at={publishAt} />
        </p>
        <Action
          label={texts.unschedule}
          send={() => api.DELETE('/v1/drafts/{id}/schedule', { params })}
          done={updated}
        />
      </div>
    );
  return (
    <Details summary={texts.schedule}>
      {failure !== null && <p class="failure">{texts.scheduleFailed(failure)}</p>}
      <Labelled name="at" label={texts.scheduleAt} hint={texts.scheduleHint}>
        <input
          type="datetime-local"
          aria-describedby="at-hint"
          value={at}
          onInput={({ currentTarget }) => setAt(currentTarget.value)}
        />
      </Labelled>
      <Action label={texts.scheduleAction} isDisabled={at === ''} send={schedule} done={updated} />
    </Details>
  );
}

function Share({ sync, card: { id, sharedUntil } }: Props) {
  const texts = useTexts().editor;
  const params = { path: { id } };
  const [link, setLink] = useState<string>();
  const changed = (until: string | null): void => sync.updated({ ...sync.card!, sharedUntil: until });
  return (
    <Details summary={texts.share}>
      <p class="small">{texts.shareHint}</p>
      {link !== undefined && (
        <Labelled name="link" label={texts.shareLink}>
          <input readOnly dir="ltr" value={link} onFocus={({ currentTarget }) => currentTarget.select()} />
        </Labelled>
      )}
      {sharedUntil !== null && (
        <p>
          {texts.sharedUntil} <Moment at={sharedUntil} />
        </p>
      )}
      <div class="actions">
        <Action
          label={texts.shareAction}
          send={() => api.PUT('/v1/drafts/{id}/share', { params })}
          done={(shared) => {
            setLink(`${location.origin}/shared-drafts/${shared!.path.split('/').at(-1)}`);
            changed(shared!.expiresAt);
          }}
        />
        {sharedUntil !== null && (
          <Action
            label={texts.unshare}
            send={() => api.DELETE('/v1/drafts/{id}/share', { params })}
            done={() => {
              setLink(undefined);
              changed(null);
            }}
          />
        )}
      </div>
    </Details>
  );
}

function Collections({ collectionId, choose }: Collection) {
  const texts = useTexts();
  const { data, wait } = useLoaded(() =>
    unwrap(api.GET('/v1/users/me/collections', { params: { query: { limit: 100 } } })),
  );
  if (data === undefined) return wait;
  return (
    <Labelled name="collection" label={texts.editor.collection} hint={texts.editor.collectionHint}>
      <select
        aria-describedby="collection-hint"
        value={collectionId ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
      >
        <option value="">{texts.editor.noCollection}</option>
        {data.data.map(({ id, title, kind }) => (
          <option key={id} value={id}>
            {`${texts.kindOfCollection[kind]}: ${title}`}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Versions({ sync, card: { id } }: Props) {
  const texts = useTexts().editor;
  const { data, wait } = useLoaded(() => unwrap(api.GET('/v1/drafts/{id}/versions', { params: { path: { id } } })));
  const [shown, setShown] = useState<Fields>();
  if (data === undefined) return wait;
  if (data.data.length === 0) return <p>{texts.noVersions}</p>;
  const close = (): void => setShown(undefined);
  return (
    <>
      <ul class="rows">
        {data.data.map(({ version, savedAt, bytes }) => (
          <li key={version}>
            <span class="small">
              <Moment at={savedAt} /> · {texts.bytes(bytes)}
            </span>
            <Action
              label={texts.showVersion(version)}
              send={() => api.GET('/v1/drafts/{id}/versions/{version}', { params: { path: { id, version } } })}
              done={(text) => setShown(fieldsOf({ ...text!, visibility: sync.fields.visibility }))}
            />
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <Compare
          title={texts.versions}
          texts={[
            { ...sync.fields, label: texts.mine, action: texts.keepCurrent, choose: close },
            {
              ...shown,
              label: texts.versionText,
              action: texts.useVersion,
              choose: () => {
                sync.replace(shown);
                close();
              },
            },
          ]}
        />
      )}
    </>
  );
}

/** Has its content from the first time that it is open. */
function Details({ summary, children }: { summary: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && setOpen(true)}>
      <summary>{summary}</summary>
      {isOpen && <div class="details">{children}</div>}
    </details>
  );
}

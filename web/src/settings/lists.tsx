import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { Action } from '../account/action.js';
import { labelOf } from '../account/providers.js';
import { CheckField, CheckFields, Field, RequestForm, SelectField } from '../account/request-form.js';
import { useRows } from '../account/rows.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Result } from '../account/use-action.js';
import { type Author, nameOf, type Page, withQuery, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { endOf, OwnList, PasswordField, proofOf, SettingsForm, useAccount, useTerms } from './parts.js';

const at = (id: string) => ({ params: { path: { id } } });

/** `until` is undefined where nothing has an end. */
function Used({ at: used, until }: { at: string | null; until?: string | null }) {
  const texts = useTexts().settings;
  return (
    <>
      {used === null ? texts.neverUsed : texts.lastUsed} {used !== null && <Moment at={used} />}
      {until !== undefined && ' · '}
      {until !== undefined && <Until at={until} />}
    </>
  );
}

function Until({ at: end }: { at: string | null }) {
  const texts = useTexts().settings;
  if (end === null) return <>{texts.noEnd}</>;
  return (
    <>
      {texts.until} <Moment at={end} />
    </>
  );
}

export function Sessions() {
  const texts = useTexts().settings.sessions;
  const list = useRows(() => unwrap(api.GET('/v1/auth/sessions', {})));
  const others = list.rows.filter(({ isCurrent }) => !isCurrent);
  return (
    <>
      <p>{texts.hint}</p>
      <OwnList
        list={list}
        empty=""
        describe={({ device, network, lastUsedAt, isCurrent }) => [
          device,
          [<Used key="used" at={lastUsedAt} />, network === null ? '' : ` · ${network}`],
          isCurrent ? texts.isCurrent : undefined,
        ]}
        end={texts.end}
        canEnd={({ isCurrent }) => !isCurrent}
        send={({ id }) => api.DELETE('/v1/auth/sessions/{id}', at(id))}
      />
      {others.length > 0 && (
        <div class="actions">
          <Action
            label={texts.endOthers}
            confirm={texts.confirmEndOthers}
            send={() => api.DELETE('/v1/auth/sessions', { params: { query: { keepCurrent: 'true' } } })}
            done={() => others.forEach(({ id }) => list.remove(id))}
          />
        </div>
      )}
    </>
  );
}

export function ApiTokens() {
  const texts = useTexts().settings;
  const { tokens } = texts;
  const { role } = useAccount().account;
  const list = useRows(() => unwrap(api.GET('/v1/auth/tokens', {})));
  const [secret, setSecret] = useState('');
  const lacks = { user: ['moderation', 'operations'], moderator: ['operations'], admin: [] as string[] }[role];
  const scopes = (Object.keys(tokens.scope) as Schemas['Scope'][]).filter((scope) => !lacks.includes(scope));
  const create = ({ name = '', days, ...values }: Record<string, string>) => {
    const expiresAt = endOf(days);
    const chosen = scopes.filter((scope) => `scope.${scope}` in values);
    const body = { name, scopes: chosen, ...proofOf(values), ...(expiresAt !== undefined && { expiresAt }) };
    return api.POST('/v1/auth/tokens', { body });
  };
  return (
    <>
      <p>{tokens.hint}</p>
      <OwnList
        list={list}
        empty={tokens.empty}
        describe={(token) => [
          token.name,
          [`${token.scopes.join(', ')} · `, <Used key="used" at={token.lastUsedAt} until={token.expiresAt} />],
        ]}
        end={tokens.revoke}
        confirm={tokens.confirmRevoke}
        send={({ id }) => api.DELETE('/v1/auth/tokens/{id}', at(id))}
      />
      <SettingsForm
        action={tokens.create}
        message={
          <label class="field">
            <span>{tokens.created}</span>
            <input readOnly dir="ltr" value={secret} onFocus={({ currentTarget }) => currentTarget.select()} />
            <span class="hint">{tokens.createdHint}</span>
          </label>
        }
        send={create}
        done={({ token, ...row }) => {
          setSecret(token);
          list.add(row);
        }}
      >
        <Field name="name" label={texts.name} dir="auto" maxLength={60} />
        <CheckFields legend={tokens.scopes} prefix="scope." names={scopes} labels={tokens.scope} checked={['read']} />
        <SelectField name="days" label={tokens.expires} value="90" options={useTerms()} />
        <PasswordField />
      </SettingsForm>
    </>
  );
}

export function Passkeys() {
  const texts = useTexts().settings;
  const { passkeys } = texts;
  const list = useRows(() => unwrap(api.GET('/v1/auth/passkeys', {})));
  const [renamed, setRenamed] = useState<Schemas['Passkey']>();
  const add = async ({ name = '', ...values }: Record<string, string>): Promise<Result<Schemas['Passkey']>> => {
    const options = await api.POST('/v1/auth/passkeys/options', { body: proofOf(values) });
    if (options.data === undefined) return options;
    try {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.data);
      const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
      const body = { ...(credential.toJSON() as Schemas['AddPasskeyInput']), name };
      return await api.POST('/v1/auth/passkeys', { body });
    } catch (error) {
      // Is canceled, or the device has a passkey of the account.
      if (!(error instanceof DOMException)) throw error;
      return { error: { detail: passkeys.refused }, response: Response.error() };
    }
  };
  return (
    <>
      <p>{passkeys.hint}</p>
      <OwnList
        list={list}
        empty={passkeys.empty}
        describe={({ name, lastUsedAt }) => [name, <Used key="used" at={lastUsedAt} />]}
        end={texts.remove}
        confirm={passkeys.confirmRemove}
        send={({ id }) => api.DELETE('/v1/auth/passkeys/{id}', at(id))}
        buttons={(row) => (
          <button
            type="button"
            class="tool"
            aria-label={`${passkeys.rename}: ${row.name}`}
            onClick={() => setRenamed(row)}
          >
            {passkeys.rename}
          </button>
        )}
      />
      {renamed !== undefined && (
        <RequestForm
          key={renamed.id}
          action={passkeys.rename}
          send={({ name = '' }) => api.PATCH('/v1/auth/passkeys/{id}', { ...at(renamed.id), body: { name } })}
          done={(row) => {
            list.replace(row!);
            setRenamed(undefined);
          }}
        >
          <Field
            name="name"
            label={passkeys.newName(renamed.name)}
            dir="auto"
            value={renamed.name}
            maxLength={60}
            isFocused
          />
        </RequestForm>
      )}
      {'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential ? (
        <SettingsForm action={passkeys.add} message={passkeys.added} send={add} done={list.add}>
          <Field name="name" label={texts.name} hint={passkeys.nameHint} dir="auto" maxLength={60} />
          <PasswordField />
        </SettingsForm>
      ) : (
        <Done>{passkeys.unsupported}</Done>
      )}
    </>
  );
}

export function Identities() {
  const { settings, signIn } = useTexts();
  const { identities: texts, remove } = settings;
  const { data: site } = useLoaded(() => unwrap(api.GET('/v1/instance')));
  const list = useRows(async () => {
    const { data } = await unwrap(api.GET('/v1/auth/identities', {}));
    return { data: data.map((row) => ({ ...row, id: row.provider })) };
  });
  return (
    <>
      <p>{texts.hint}</p>
      <OwnList
        list={list}
        empty={texts.empty}
        describe={({ provider, email, lastUsedAt }) => [
          provider,
          [email === null ? '' : `${email} · `, <Used key="used" at={lastUsedAt} />],
        ]}
        end={remove}
        confirm={texts.confirmRemove}
        send={({ provider }) => api.DELETE('/v1/auth/identities/{provider}', { params: { path: { provider } } })}
      />
      {list.isLoaded &&
        site?.providers
          .filter((provider) => !list.rows.some(({ id }) => id === provider))
          .map((provider) => (
            <p key={provider}>
              <a href={withQuery('/sign-in', { connect: provider, to: location.pathname })}>
                {signIn.connect(labelOf(provider))}
              </a>
            </p>
          ))}
    </>
  );
}

export function Filters() {
  const texts = useTexts().settings;
  const { filters } = texts;
  const list = useRows(() => unwrap(api.GET('/v1/users/me/filters', {})));
  const create = ({ phrase = '', kinds, action, days, ...values }: Record<string, string>) =>
    api.POST('/v1/users/me/filters', {
      body: {
        ...{ phrase, isWholeWord: 'isWholeWord' in values, until: endOf(days) ?? null },
        in: kinds === 'both' ? ['posts', 'comments'] : [kinds as Schemas['FilteredKind']],
        action: action as Schemas['FilterAction'],
      },
    });
  return (
    <>
      <p>{filters.hint}</p>
      <OwnList
        list={list}
        empty={filters.empty}
        describe={({ phrase, in: kinds, action, until }) => [
          phrase,
          [
            `${filters.actions[action]} · ${filters.ins[kinds.length === 2 ? 'both' : kinds[0]!]} · `,
            <Until key="until" at={until} />,
          ],
        ]}
        end={texts.remove}
        send={({ id }) => api.DELETE('/v1/users/me/filters/{id}', at(id))}
      />
      <SettingsForm action={filters.add} message={texts.saved} send={create} done={list.add}>
        <Field name="phrase" label={filters.phrase} dir="auto" maxLength={60} />
        <CheckField name="isWholeWord" label={filters.isWholeWord} isOptional isChecked />
        <div class="pair">
          <SelectField name="kinds" label={filters.in} options={filters.ins} />
          <SelectField name="action" label={filters.action} options={filters.actions} />
        </div>
        <SelectField name="days" label={texts.until} value="never" options={useTerms()} />
      </SettingsForm>
    </>
  );
}

type PeopleProps<Row> = {
  texts: { title: string; hint: string; empty: string; undo: string };
  load: (query: { cursor?: string }) => Promise<Page<Row>>;
  details: (row: Row) => ComponentChildren;
  send: (username: string) => Promise<Result<unknown>>;
};

function People<Row extends { user: Author }>({ texts, load, details, send }: PeopleProps<Row>) {
  const list = useRows(async (cursor) => {
    const { data, page } = await load(cursor);
    return { data: data.map((row) => ({ ...row, id: row.user.username })), page };
  });
  return (
    <>
      <h3>{texts.title}</h3>
      <p>{texts.hint}</p>
      <OwnList
        list={list}
        empty={texts.empty}
        describe={(row) => [nameOf(row.user), [`@${row.id} · `, details(row)]]}
        end={texts.undo}
        send={({ id }) => send(id)}
      />
    </>
  );
}

export function Blocks() {
  const { blocked, muted } = useTexts().settings;
  const of = (username: string) => ({ params: { path: { username } } });
  return (
    <>
      <People
        texts={blocked}
        load={(query) => unwrap(api.GET('/v1/users/me/blocks', { params: { query } }))}
        details={({ blockedAt }) => <Moment at={blockedAt} />}
        send={(username) => api.DELETE('/v1/users/{username}/block', of(username))}
      />
      <People
        texts={muted}
        load={(query) => unwrap(api.GET('/v1/users/me/mutes', { params: { query } }))}
        details={({ until }) => <Until at={until} />}
        send={(username) => api.DELETE('/v1/users/{username}/mute', of(username))}
      />
    </>
  );
}

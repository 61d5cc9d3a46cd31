import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AccountPage, Done } from '../account/account-page.js';
import { useAddress } from '../account/address.js';
import { OwnPage } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import type { Texts } from '../texts/en.js';
import { Deletion, Exports } from './data.js';
import { Imports } from './imports.js';
import { ApiTokens, Blocks, Filters, Identities, Passkeys, Sessions } from './lists.js';
import { Notifications } from './notifications.js';
import { CurrentAccount } from './parts.js';
import { EmailAddress, Password } from './password.js';
import { Profile } from './profile.js';
import { SecondFactor } from './second-factor.js';
import { Webhooks } from './webhooks.js';

type Name = keyof Texts['settings']['sections'];

/** Each is at `/settings/<name>`, and loads its data when it is open. */
const SECTIONS: Record<Name, ComponentType> = {
  profile: Profile,
  email: EmailAddress,
  password: Password,
  passkeys: Passkeys,
  'second-factor': SecondFactor,
  sessions: Sessions,
  tokens: ApiTokens,
  webhooks: Webhooks,
  identities: Identities,
  notifications: Notifications,
  filters: Filters,
  blocks: Blocks,
  imports: Imports,
  exports: Exports,
  deletion: Deletion,
};
const NAMES = Object.keys(SECTIONS) as Name[];
const pathOf = (name: Name): string => `/settings/${name}`;

/** `/settings`: what an account decides about itself. */
export function SettingsPage() {
  const texts = useTexts().settings;
  const address = useAddress('/settings', '.section h2');
  const name = NAMES.find((one) => pathOf(one) === address.split('?')[0]) ?? 'profile';
  const [isDeleted, setDeleted] = useState(false);
  const deleted = (): void => {
    setDeleted(true);
    void api.signOut().catch(() => undefined);
  };
  if (isDeleted)
    return (
      <AccountPage title={texts.sections.deletion}>
        <Done>{texts.deletion.done}</Done>
      </AccountPage>
    );
  return (
    <OwnPage title={texts.title} part={texts.sections[name]} isWide>
      <div class="settings">
        <Navigation current={name} />
        <Section name={name} deleted={deleted} />
      </div>
    </OwnPage>
  );
}

function Navigation({ current }: { current: Name }) {
  const texts = useTexts().settings;
  const list = useRef<HTMLElement>(null);
  // On a phone, the links are one line that scrolls.
  useEffect(() => {
    const link = list.current!.querySelector<HTMLElement>('[aria-current]')!;
    list.current!.scrollLeft = link.offsetLeft - list.current!.offsetLeft - 16;
  }, [current]);
  return (
    <nav class="sections" aria-label={texts.title} ref={list}>
      {NAMES.map((name) => (
        <a key={name} href={pathOf(name)} aria-current={name === current ? 'page' : undefined}>
          {texts.sections[name]}
        </a>
      ))}
    </nav>
  );
}

function Section({ name, deleted }: { name: Name; deleted: () => void }) {
  const texts = useTexts().settings;
  const { data, wait } = useLoaded(() => unwrap(api.GET('/v1/auth/me', {})));
  const [changes, setChanges] = useState({});
  const Content = SECTIONS[name];
  return (
    <section class="section">
      <h2 tabIndex={-1}>{texts.sections[name]}</h2>
      {data === undefined ? (
        wait
      ) : (
        <CurrentAccount.Provider
          value={{
            account: { ...data, ...changes },
            update: (change) => setChanges((before) => ({ ...before, ...change })),
            deleted,
          }}
        >
          <Content />
        </CurrentAccount.Provider>
      )}
    </section>
  );
}

import type { ComponentType } from 'preact';
import { useAddress } from '../account/address.js';
import { OwnPage } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { AccountDetails, Accounts } from './accounts.js';
import { Appeals } from './appeals.js';
import { CasePage } from './case-page.js';
import { Log } from './log.js';
import { Queue } from './queue.js';
import { Rules } from './rules.js';
import { SignUps } from './sign-ups.js';
import { type Staff, StaffContext } from './staff.js';

export type PartProps = { id: string | undefined; query: URLSearchParams };
const PARTS = {
  cases: ({ id, query }) => (id === undefined ? <Queue query={query} /> : <CasePage id={id} />),
  appeals: Appeals,
  'sign-ups': SignUps,
  accounts: ({ id, query }) => (id === undefined ? <Accounts query={query} /> : <AccountDetails id={id} />),
  rules: Rules,
  log: () => <Log />,
} satisfies Record<string, ComponentType<PartProps>>;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

/** `/moderation`: the work of moderators. The server decides what an account may do; this page only says so. */
export function ModerationPage() {
  const address = useAddress('/moderation', '#content');
  const { pathname, searchParams } = new URL(address, location.origin);
  const [, , name = 'cases', id] = pathname.split('/');
  const part = PART_NAMES.find((one) => one === name) ?? 'cases';
  const texts = useTexts().moderation;
  return (
    <OwnPage title={id === undefined ? texts.titles[part] : part === 'cases' ? texts.case : texts.account} isWide>
      <Desk part={part} address={address} id={id} query={searchParams} />
    </OwnPage>
  );
}

/** The menu with what waits, and the chosen part of it. */
function Desk({ part, address, ...props }: PartProps & { part: Part; address: string }) {
  const texts = useTexts().moderation;
  const viewer = useLoaded(() => unwrap(api.GET('/v1/viewer', {})));
  const me = viewer.data?.account ?? null;
  if (viewer.data === undefined) return viewer.wait;
  if (me === null || me.role === 'user') return <p>{texts.notModerator}</p>;
  return <Menu part={part} me={me} address={address} {...props} />;
}

function Menu({ part, me, address, ...props }: PartProps & { part: Part; address: string; me: Staff['me'] }) {
  const texts = useTexts().moderation;
  const { data, reload } = useLoaded(() => unwrap(api.GET('/v1/moderation/summary', {})));
  const waiting: Partial<Record<string, number>> = {
    cases: data?.cases.count,
    appeals: data?.appeals.count,
    'sign-ups': data?.signUps.count,
  };
  const Shown: ComponentType<PartProps> = PARTS[part];
  return (
    <div class="moderation">
      <nav class="parts" aria-label={texts.parts}>
        {PART_NAMES.filter((one) => one !== 'rules' || me.role === 'admin').map((one) => (
          <a
            key={one}
            href={one === 'cases' ? '/moderation' : `/moderation/${one}`}
            aria-current={one === part ? 'page' : undefined}
          >
            {texts.titles[one]}
            {(waiting[one] ?? 0) > 0 && <span class="waiting"> {waiting[one]}</span>}
          </a>
        ))}
      </nav>
      <StaffContext.Provider value={{ me, recount: reload }}>
        <Shown key={address} {...props} />
      </StaffContext.Provider>
    </div>
  );
}

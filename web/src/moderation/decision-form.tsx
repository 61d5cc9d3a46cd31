import { useRef, useState } from 'preact/hooks';
import { randomKey } from '../../../sdk/src/sender.js';
import { CheckField, CheckFields, Field, RequestForm, SelectField, TextField } from '../account/request-form.js';
import type { Result } from '../account/use-action.js';
import type { Schemas } from '../api.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';

type Action = Schemas['CreateModerationActionInput'];
type TargetKind = Action['targetKind'];
type Choice = { kind: Action['kind']; targetKind: TargetKind };

const SHOWN_OR_NOT = ['remove', 'restore'] as const;
const KINDS_OF: Record<TargetKind, readonly Action['kind'][]> = {
  post: [...SHOWN_OR_NOT, 'lock', 'unlock'],
  comment: SHOWN_OR_NOT,
  collection: SHOWN_OR_NOT,
  note: SHOWN_OR_NOT,
  media: SHOWN_OR_NOT,
  user: ['warn', 'limit', 'suspend', 'ban', 'lift'],
  profile: SHOWN_OR_NOT,
};
const RESTRICTIONS: readonly Action['kind'][] = ['limit', 'suspend', 'ban'];
const PROFILE_FIELDS = [
  ...(['fullName', 'bio', 'headline', 'location', 'interests'] as const),
  ...(['links', 'profilePicture', 'username'] as const),
];

type Props = {
  /** the reported content or account */
  target: { kind: TargetKind; id: string };
  accountId: string;
  /** open case, which the decision closes */
  caseId?: string | undefined;
  reason?: Action['reasonCode'] | undefined;
  done: () => void;
  /** another moderator has claimed or closed the case */
  changed: () => void;
};

/** One decision about content or its account, with its reasons. */
export function DecisionForm({ target, accountId, caseId, reason = 'spam', done, changed }: Props) {
  const texts = useTexts().moderation;
  const [chosen, choose] = useState('');
  // An equal request has the key of the one before, until it succeeds: after a lost response it acts once.
  const last = useRef({ text: '', key: '' });
  const targets = [...new Set<TargetKind>([target.kind, 'user', 'profile'])];
  const choices = targets.flatMap((targetKind) => KINDS_OF[targetKind].map((kind): Choice => ({ kind, targetKind })));
  const labelOf = ({ kind, targetKind }: Choice): string => `${texts.kinds[targetKind]}: ${texts.acts[kind]}`;
  const choice = choices.find((one) => labelOf(one) === chosen);
  const isDismissal = chosen === 'dismiss';
  const options = {
    '': texts.choose,
    ...(caseId !== undefined && { dismiss: texts.dismiss }),
    ...Object.fromEntries(choices.map((one) => [labelOf(one), labelOf(one)])),
  };

  const send = (values: Record<string, string>): Promise<Result<unknown>> => {
    const { note = '', until, publicReason = '', privateNote = '' } = values;
    if (isDismissal)
      return api.POST('/v1/moderation/cases/{id}/dismiss', { params: { path: { id: caseId! } }, body: { note } });
    const isOfAccount = choice!.targetKind === 'user' || choice!.targetKind === 'profile';
    const fields = PROFILE_FIELDS.filter((name) => `field-${name}` in values);
    const body: Action = {
      ...choice!,
      targetId: isOfAccount ? accountId : target.id,
      reasonCode: values['reasonCode'] as Action['reasonCode'],
      publicReason,
      privateNote,
      ...(until && { until: new Date(until).toISOString() }),
      ...(choice!.kind === 'suspend' && { hideContent: 'hideContent' in values }),
      ...('removeEverything' in values && { removeEverything: true }),
      ...('includeNetwork' in values && { includeNetwork: true }),
      ...(fields.length > 0 && { fields }),
      ...(caseId !== undefined && { caseId }),
    };
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: randomKey() };
    return api.POST('/v1/moderation/actions', { params: { header: { 'Idempotency-Key': last.current.key } }, body });
  };

  const label = isDismissal ? texts.dismiss : chosen;
  return (
    <RequestForm
      action={texts.decide}
      confirm={texts.confirm(label)}
      send={send}
      done={() => {
        last.current = { text: '', key: '' };
        done();
      }}
      handle={({ code }) => {
        if (code === 'case_closed' || code === 'case_claimed') changed();
        return false;
      }}
    >
      <SelectField name="decision" label={texts.decision} options={options} onChange={choose} />
      {isDismissal && <TextField name="note" label={texts.privateNote} maxLength={500} rows={2} isOptional />}
      {choice !== undefined && <Details choice={choice} reason={reason} />}
    </RequestForm>
  );
}

function Details({ choice: { kind, targetKind }, reason }: { choice: Choice; reason: Action['reasonCode'] }) {
  const texts = useTexts().moderation;
  const isRestriction = RESTRICTIONS.includes(kind);
  return (
    <>
      {targetKind === 'profile' && kind === 'remove' && (
        <CheckFields
          legend={texts.fields}
          prefix="field-"
          names={PROFILE_FIELDS}
          labels={texts.profileFields}
          checked={PROFILE_FIELDS.filter((name) => name !== 'username')}
        />
      )}
      <SelectField name="reasonCode" label={texts.reason} options={texts.reasons} value={reason} />
      <TextField name="publicReason" label={texts.publicReason} hint={texts.publicHint} maxLength={500} rows={3} />
      {isRestriction && (
        <Field name="until" type="datetime-local" label={texts.until} hint={texts.untilHint} isOptional />
      )}
      {kind === 'suspend' && <CheckField name="hideContent" label={texts.hideContent} isOptional />}
      {isRestriction && <CheckField name="removeEverything" label={texts.removeEverything} isOptional />}
      {kind === 'ban' && <CheckField name="includeNetwork" label={texts.includeNetwork} isOptional />}
      <TextField name="privateNote" label={texts.privateNote} maxLength={2_000} rows={2} isOptional />
    </>
  );
}

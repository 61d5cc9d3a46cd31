import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { RequestForm, SelectField, TextField } from '../account/request-form.js';
import type { Schemas } from '../api.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';

type Kind = Schemas['ReportTargetKind'];
type Reason = Schemas['ReportReason'];

/** Opens a form that reports something to the moderators. */
export function ReportButton({ kind, id }: { kind: Kind; id: string }) {
  const texts = useTexts().viewer;
  const [state, setState] = useState<'closed' | 'open' | 'sent'>('closed');
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (state === 'open') dialog.current?.showModal();
  }, [state]);
  const titleId = useId();
  const close = (): void => setState('closed');
  return (
    <>
      <button type="button" onClick={() => setState('open')}>
        {texts.report}
      </button>
      {state !== 'closed' && (
        <dialog class="account report" ref={dialog} aria-labelledby={titleId} onClose={close}>
          <h2 id={titleId}>{texts.reportTitle}</h2>
          {state === 'sent' ? (
            <Done>{texts.reported}</Done>
          ) : (
            <RequestForm
              action={texts.sendReport}
              send={({ reason, note = '' }) =>
                api.POST('/v1/reports', { body: { targetKind: kind, targetId: id, reason: reason as Reason, note } })
              }
              done={() => setState('sent')}
            >
              <SelectField name="reason" label={texts.reportReason} options={texts.reasons} />
              <TextField name="note" label={texts.reportNote} maxLength={500} isOptional />
            </RequestForm>
          )}
          <form method="dialog">
            <button class="tool">{texts.close}</button>
          </form>
        </dialog>
      )}
    </>
  );
}

import { type Result, useAction } from './use-action.js';

type ActionProps<Data> = {
  label: string;
  /** name of the row that it is about, for a list with several such buttons */
  of?: string;
  /** what to ask before */
  confirm?: string;
  isDisabled?: boolean;
  send: () => Promise<Result<Data>>;
  done: (data: Data | undefined) => void;
};

/** A button that sends a request, with its failure. */
export function Action<Data>({ label, of, confirm: question, isDisabled = false, send, done }: ActionProps<Data>) {
  const { run, isBusy, failure } = useAction();
  const act = (): void => {
    if (!isDisabled && (question === undefined || confirm(question))) void run(send, done);
  };
  return (
    <>
      <button
        type="button"
        class="tool"
        aria-label={of === undefined ? undefined : `${label}: ${of}`}
        aria-disabled={isBusy || isDisabled}
        onClick={act}
      >
        {label}
      </button>
      {failure !== undefined && (
        <p role="alert" class="failure small">
          {[failure.text, ...Object.values(failure.fields)].join(' ')}
        </p>
      )}
    </>
  );
}

const IMAGE_TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';

/** A button that opens the dialog for files. */
export function FileButton({
  label,
  sign,
  accept = IMAGE_TYPES,
  onFiles,
}: {
  label: string;
  sign?: string;
  /** comma-separated media types; empty: all files */
  accept?: string;
  onFiles: (files: File[]) => void;
}) {
  const choose = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
    onFiles([...(currentTarget.files ?? [])]);
    currentTarget.value = '';
  };
  return (
    <label class="tool" title={label}>
      {sign === undefined ? label : <span aria-hidden="true">{sign}</span>}
      <input class="sr-only" type="file" accept={accept} multiple aria-label={label} onChange={choose} />
    </label>
  );
}

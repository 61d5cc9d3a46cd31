const PATHS = {
  like: 'M12 20s-7.5-4.6-9-9.3C1.9 7 4.3 4.5 7.2 4.5c2 0 3.7 1.1 4.8 2.9 1.1-1.8 2.8-2.9 4.8-2.9 2.9 0 5.3 2.5 4.2 6.2C19.5 15.4 12 20 12 20z',
  comment: 'M4 5h16v11H9.5L5 20v-4H4z',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm4.8 11.3L20.5 20.5',
};

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

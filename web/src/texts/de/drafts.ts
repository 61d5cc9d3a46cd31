import type { drafts as en } from '../en/drafts.js';

export const drafts: typeof en = {
  title: 'Entwürfe und Beiträge',
  write: 'Schreiben',
  tabs: { drafts: 'Entwürfe', posts: 'Beiträge', trash: 'Papierkorb' },
  noDrafts: 'Du hast keine Entwürfe.',
  allPosts: 'Alle Beiträge',
  noTrash: 'Der Papierkorb ist leer.',
  trashHint:
    'Gelöschte Beiträge bleiben 30 Tage hier. Ein wiederhergestellter Beitrag hat wieder seine Adresse, Kommentare und Stimmen.',
  saved: 'Gespeichert',
  deleted: 'Gelöscht',
  isEdit: 'ändert einen Beitrag',
  edit: 'Bearbeiten',
  show: { public: 'Allen zeigen', unlisted: 'Nicht mehr listen' },
  remove: 'Löschen',
  confirmRemovePost: (title) => `Den Beitrag „${title}“ mit seinen Kommentaren und Stimmen löschen?`,
  restore: 'Wiederherstellen',
  removeForever: 'Endgültig löschen',
  confirmRemoveForever: (title) => `„${title}“ endgültig löschen?`,
};

/** The address in the committed document; a running server puts its own in its place. */
export const NO_SERVER = 'https://api.example.org';

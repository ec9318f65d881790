/** Somebody as people call them; their address where they gave no name. */
export const nameOf = ({ first_name, last_name, email }: { first_name: string; last_name: string; email: string }) =>
  `${first_name} ${last_name}`.trim() || email;

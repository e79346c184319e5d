/** Frontpage's picture: a front page. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80"><rect width="80" height="80" fill="#ff6a3d"/><rect x="18" y="20" width="44" height="9" rx="2" fill="#fff"/><rect x="18" y="36" width="18" height="24" rx="2" fill="#fff" opacity=".85"/><rect x="42" y="36" width="20" height="5" rx="2" fill="#fff"/><rect x="42" y="45.5" width="20" height="5" rx="2" fill="#fff"/><rect x="42" y="55" width="13" height="5" rx="2" fill="#fff"/></svg>';

export const botAvatar = `data:image/svg+xml,${encodeURIComponent(svg)}`;

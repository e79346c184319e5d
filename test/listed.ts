import type { APIEmbed } from 'discord-api-types/v10';

/** The articles of a list as `1. Title`, from the lines that begin with a rank. */
export function listedTitles(embeds: readonly APIEmbed[] = []): string[] {
  const lines = embeds.flatMap(({ description = '' }) => description.split('\n'));
  return lines.flatMap((line) => {
    const [, rank, linked, plain] = /^\*\*(\d+)\.\*\* (?:\[(.+)\]\(|(.+?) · )/.exec(line) ?? [];
    return rank === undefined ? [] : [`${rank}. ${linked ?? plain}`];
  });
}

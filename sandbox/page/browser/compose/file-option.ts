import { html, type TemplateResult } from 'lit';

/** A file that was chosen, as the sandbox takes it. */
export type ChosenFile = { filename: string; base64: string };

/** Chooses a file for an option. The file is kept as text: its name, a line feed, its bytes. */
export function fileView(
  { id, required }: { id: string; required: boolean },
  onText: (text: string) => void,
): TemplateResult {
  return html`<span class="field">
    <input
      id=${id}
      type="file"
      ?required=${required}
      aria-describedby="${id}-note"
      @change=${(event: Event) => {
        const [file] = (event.target as HTMLInputElement).files ?? [];
        if (file === undefined) onText('');
        else void read(file).then(onText);
      }}
    />
  </span>`;
}

export function fileOf(text: string): ChosenFile {
  const end = text.indexOf('\n');
  return { filename: text.slice(0, end), base64: text.slice(end + 1) };
}

async function read(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  // In pieces: as arguments all at once they would be too many.
  for (let i = 0; i < bytes.length; i += 8192) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  }
  return `${file.name}\n${btoa(binary)}`;
}

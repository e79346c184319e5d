import type { TourWords } from './words.ts';

export const de: TourWords = {
  label: 'Der Rundgang',
  button: '🧭 Rundgang',
  tour: 'Rundgang',
  'lead.month':
    'Mitglieder posten Links und stimmen ab, die besten kommen auf die Titelseite. Probier es in {steps} Schritten aus.',
  'lead.empty':
    'Du bist Admin, und der Bot ist gerade dazugekommen. Von selbst passiert hier nichts: Niemand sonst postet etwas oder stimmt ab, es sei denn, du tust es als jemand anderes (oben auf der Seite).',
  'lead.links':
    'Du bist Admin eines Servers mit Links aus zwei Monaten, und der Bot ist gerade dazugekommen. Von selbst passiert hier nichts: Niemand sonst postet etwas oder stimmt ab, es sei denn, du tust es als jemand anderes (oben auf der Seite).',
  after:
    'Das war der Rundgang. Alles läuft weiter: Probier aus, was du magst. Wie es auf deinen eigenen Server kommt, steht in docs/hosting.md (auf Englisch).',
  webPage: 'Dieselbe Titelseite im Web',
  done: 'erledigt',
  toDo: 'offen',
  busy: 'Einen Moment …',
  show: 'Zeig es mir',
  showAsModerator: 'Zeig es mir aus Sicht der Moderation',
  showAsAdmin: 'Zeig es mir aus Sicht eines Admins',
  showAsMember: 'Zeig es mir aus Sicht eines anderen Mitglieds',
  'set-up.title': 'Richte die Auslese ein',
  'set-up.text':
    'Klick unter der Nachricht des Bots auf „{setUpButton}“, dann auf „{beginButton}“. Jede Zeile lässt sich ändern.',
  'import.title': 'Beginne mit den Links, die schon da sind',
  'import.text':
    'Klick unter der Begrüßung des Bots auf „{importButton}“, dann auf „{beginButton}“. Vorher siehst du, was importiert würde.',
  'report.title': 'Lies den Bericht',
  'report.text':
    'Gleich schreibt der Bot in {general}, was importiert wurde und was nicht, mit den zehn besten.',
  'board.title': 'Häng den Aushang auf',
  'board.text':
    'Klick in der Übersicht auf „{boardButton}“ und wähle {frontPage}: Dort zeigt eine Nachricht immer die zehn besten.',
  'post.title': 'Poste einen Link',
  'post.text':
    '{post} macht aus einem Link einen Beitrag. Klick auf „{run}“; gleich darauf hat er Titel und Vorschau der Seite.',
  'vote.title': 'Stimm über einen Beitrag ab',
  'vote.text': 'Klick unter dem Beitrag von jemand anderem auf 👍. Die Reaktion ist deine Stimme.',
  'switch.title': 'Überleg es dir anders',
  'switch.text': 'Klick beim selben Beitrag auf 👎: Deine Stimme ist jetzt ein 👎.',
  'climb.title': 'Sieh einen Beitrag aufsteigen',
  'climb.text':
    'Die Titelseite, live. Lass andere für den letzten Beitrag stimmen, bis er vorne liegt.',
  'climb.action': 'Lass sie abstimmen',
  'climb.label': 'Die Titelseite, live',
  'climb.none': 'Noch ist nichts gepostet.',
  'climb.few':
    'Zum Aufsteigen braucht ein Beitrag einen anderen über sich. Poste zuerst zwei Links.',
  'top.title': 'Lies die Titelseite',
  'top.text':
    '{top} zeigt nur dir die besten Beiträge. Stimmen heben einen Beitrag, mit der Zeit sinkt er.',
  'told.title': 'Erfahr, was aus deinem wurde',
  'told.text':
    'Die erste Antwort auf einen Beitrag eröffnet seinen Thread, und wer ihn gepostet hat, ist darin. Dort sagt der Bot, was hier dazu schon war, und einmal, wenn er ★ wird. Lass jemanden auf deinen antworten und andere abstimmen.',
  'told.action': 'Lass sie antworten und abstimmen',
  'mine.title': 'Sieh, was aus deinen Links wurde',
  'mine.text':
    '{mine} sagt von jedem deiner Links, wie hoch er kam, in welcher Auslese er vorn stand und bis wann man abstimmen kann. Ändern oder entfernen kannst du ihn dort auch.',
  'new.title': 'Sieh, was für dich neu ist',
  'new.text':
    '{newForMe} zeigt, was seit deinem letzten Blick kam, das Beste zuerst, und hat ein Ende. Was du gepostet, bewertet oder ausgeblendet hast, fehlt darin.',
  'needs-vote.title': 'Urteile als Erste oder Erster',
  'needs-vote.text':
    '{top} mit „{needsVote}“ zeigt, wofür noch niemand sonst gestimmt hat, das Älteste zuerst.',
  'save.title': 'Merk dir einen Link',
  'save.text':
    'Wähl im Menü der Nachricht eines Beitrags „{saveForMe}“. {saved} zeigt nur dir, was du dir gemerkt hast.',
  'mute.title': 'Blende aus, was dich nicht interessiert',
  'mute.text':
    'Wähl im Menü der Nachricht eines Beitrags „{whyThisRank}“ und unter der Antwort bei „{muteSelect}“ die Website oder das Mitglied. Nur deine eigenen Listen lassen es aus.',
  'flag.title': 'Gib der Moderation Bescheid',
  'flag.text':
    'Wähl im Menü der Nachricht eines Beitrags „{flagCommand}“ und einen Grund. Wer gemeldet hat, sieht nur die Moderation; {reports} zeigt, was auf sie wartet.',
  'group.title': 'Führe einen Beitrag in einem zweiten Kanal auf',
  'group.text':
    'Jeder Kanal ist ein Thema. Die Moderation kann einen Beitrag auch in einem anderen aufführen.',
  'remove.title': 'Werde Spam mit einem Formular los',
  'remove.text':
    'Wähl im Menü der Nachricht eines Beitrags „{moderateCommand}“ und dann „{removeButton}“. Das Formular sperrt auch Mitglied und Website und entfernt die anderen Links dieser Person. „{undoButton}“ bringt alles zurück.',
  'words.title': 'Halte Wörter fern',
  'words.text':
    '{block} hält Wörter aus Titeln und Kommentaren fern, egal wie sie geschrieben sind. Drück „{run}“: Ein Link mit dem Titel „FR33 N1TRO“ wird danach abgelehnt.',
  'words.value': 'free nitro',
  'digest.title': 'Lass die Auslese kommen',
  'digest.text':
    'Einmal am Tag kommt das Beste in {frontPage}. Stell die Uhr bis zur nächsten vor: Inzwischen posten Mitglieder, und binnen einer Minute ist die Auslese da.',
  'digest.alone':
    'Die Auslese kommt zur eingestellten Uhrzeit, mit Beiträgen, für die außer der Person, die sie gepostet hat, noch jemand gestimmt hat. Du musst nicht warten: Stell die Uhr vor. Inzwischen postet niemand.',
  'digest.action': 'Zur nächsten Auslese',
  'digest.none': 'Es gibt noch keine Auslese. Ein Admin richtet sie mit {panel} oder {set} ein.',
  'recount.title': 'Unterbrich die Verbindung',
  'recount.text':
    'Trenn den Bot von Discord, stimm inzwischen ab und verbinde ihn wieder: Eine Nachzählung findet die Stimme.',
  'recount.cut': 'Verbindung trennen',
  'recount.giveBack': 'Wieder verbinden',
  'recount.missed': 'Der Bot hat diese Stimme verpasst. Verbinde ihn wieder.',
  'recount.isCut': 'Die Verbindung ist getrennt. Stimm jetzt über einen Beitrag ab.',
  'recount.connecting': 'Der Bot verbindet sich wieder und zählt dann nach …',
  'feed.title': 'Finde einen Link in einem Feed',
  'feed.text':
    'Ein Feed füllt {rust} mit Links. Setz 👍 an einen, der schon eines hat: Er wird zum Beitrag, gefunden von dem, der zuerst war, und beide 👍 sind Stimmen.',
  'signs.title': 'Stimm ab, wie es zu euch passt',
  'signs.text':
    'In der Übersicht bietet „{votesSetting}“ auch 👍 allein an; bei „{upSetting}“ gib spark ein, ein Emoji dieses Servers. Poste dann einen Link: Er hat, was du gewählt hast, und frühere Beiträge behalten ihres.',
  'check-up.title': 'Prüf, ob alles in Ordnung ist',
  'check-up.text': 'Klick als Admin in der Übersicht auf „{checkUpButton}“.',
  nothingToVote:
    'Hier ist nichts, worüber du abstimmen könntest: Poste zuerst als jemand anderes einen Link.',
  voteFirst: 'Stimm zuerst über einen Beitrag ab.',
};

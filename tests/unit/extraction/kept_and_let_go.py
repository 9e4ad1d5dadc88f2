"""What people type, sorted by whether it should be remembered; every sentence was written for these tests.

`KEPT` and `LET_GO` were used to build the rules. `KEPT_UNSEEN` and `LET_GO_UNSEEN` were written before, and not looked
at while the rules were made: they show how far the rules carry.
"""

from __future__ import annotations

KEPT: dict[str, tuple[str, ...]] = {
    "standing rules": (
        "Always run the tide tests before touching the fog horn schedule.",
        "never commit directly to main, open a branch first",
        "from now on write commit messages in the imperative",
        "please don't ever push to the release branch without asking me",
        "Make sure that you always run the formatter before you commit.",
        "Don't use default exports anywhere in this codebase.",
        "Every migration must have a down step.",
        "All new endpoints need an integration test.",
        "Whenever you touch the parser, rerun the fuzz corpus.",
        "Stop adding comments that only repeat the code.",
        "No emojis in commit messages, ever.",
        "you must not edit files under generated/, they are overwritten by the build",
    ),
    "preferences": (
        "I prefer tables over long paragraphs.",
        "I like short answers without bullet points.",
        "I'd rather have one big pull request than five small ones",
        "I hate it when tests sleep.",
        "my preferred editor is Helix",
    ),
    "environment": (
        "The lamp controller listens on port 7400.",
        "staging runs on host quay-2.internal",
        "The nightly backup is written to /srv/backup/lamps.",
        "we're on Node 20 and PostgreSQL 16",
        "Marisol owns the billing service, ask her before schema changes",
        "The release freeze starts on 2026-12-12.",
        "our tests live in spec/, not in tests/",
        "The deploy key is stored in the vault under ops/deploy.",
        "CI uses the self-hosted runner called dock-7.",
        "The customer is based in Lisbon, so their working day ends at 17:00 UTC.",
    ),
    "decisions": (
        "We decided to store sessions in Redis because the file store loses them on restart.",
        "let's stick with SQLite, we don't need a server",
        "We're moving from Jenkins to Buildkite.",
        "Let's go with cursor pagination for every list endpoint.",
        "We will not support Windows 10 any longer.",
    ),
    "corrections": (
        "no, we use pnpm, not npm",
        "No, the export job runs on quay-2, not on quay-1.",
        "that's wrong, the timeout is 30 seconds by design",
        "why do you keep using npm?",
        "Why are you still adding docstrings to the tests?",
        "How often do I have to tell you not to touch the lock file?",
        "you keep using moment.js, we replaced it with Temporal",
        "I told you to ask before deleting branches",
        "Stats should carry the ID, not the name.",
    ),
    "de": (
        "Bitte immer zuerst die Tests laufen lassen.",
        "Niemals direkt auf main pushen.",
        "Ab sofort schreiben wir Commit-Nachrichten auf Englisch.",
        "Wir benutzen pnpm, nicht npm.",
        "Warum benutzt du immer noch npm?",
        "Der Lampendienst läuft auf Port 7400.",
        "Ich möchte keine Emojis in Commit-Nachrichten.",
        "Achte darauf, dass jede Migration einen Rückweg hat.",
    ),
    "es": (
        "Siempre ejecuta las pruebas antes de hacer commit.",
        "Nunca subas nada directamente a main.",
        "Usamos pnpm, no npm.",
        "¿Por qué sigues usando npm?",
        "El servicio de lámparas escucha en el puerto 7400.",
        "A partir de ahora los mensajes de commit van en inglés.",
        "Asegúrate de que cada migración tenga vuelta atrás.",
    ),
    "fr": (
        "Lance toujours les tests avant de committer.",
        "Ne pousse jamais directement sur main.",
        "On utilise pnpm, pas npm.",
        "Pourquoi tu utilises encore npm ?",
        "Le service des lampes écoute sur le port 7400.",
        "Désormais les messages de commit sont en anglais.",
        "Assure-toi que chaque migration a un retour arrière.",
    ),
    "pt": (
        "Sempre execute os testes antes do commit.",
        "Nunca envie nada direto para a main.",
        "Usamos pnpm, não npm.",
        "Por que você continua usando npm?",
        "O serviço de lâmpadas escuta na porta 7400.",
        "A partir de agora as mensagens de commit são em inglês.",
    ),
    "zh": (
        "提交之前必须运行测试。",
        "永远不要直接推送到 main。",
        "我们用 pnpm，不用 npm。",
        "为什么你总是用 npm？",
        "灯控服务监听 7400 端口。",
        "从现在起提交信息一律用英文。",
    ),
    "ja": (
        "コミットの前に必ずテストを実行してください。",
        "mainに直接プッシュしないでください。",
        "npmではなくpnpmを使います。",
        "なぜまだnpmを使っているのですか？",
        "ランプサービスはポート7400で動いています。",
        "今後コミットメッセージは英語で書いてください。",
    ),
    "ko": (
        "커밋하기 전에 항상 테스트를 실행하세요.",
        "절대 main에 직접 푸시하지 마세요.",
        "우리는 npm이 아니라 pnpm을 사용합니다.",
        "왜 자꾸 npm을 사용하나요?",
        "램프 서비스는 7400 포트에서 실행됩니다.",
        "앞으로 커밋 메시지는 영어로 작성하세요.",
    ),
}

LET_GO: dict[str, tuple[str, ...]] = {
    "questions": (
        "What should happen when the lamp loads without a schedule?",
        "should we always validate the tide table first",
        "is there a way to never hit the cache here",
        "why does the build always fail on the second run",
        "how do we usually deploy the kiosk",
        "do we need to support Python 3.9",
        "what port does the lamp controller listen on",
        "any idea why the deploy always hangs",
        "I wonder whether we should never cache the tide table.",
        "not sure if the scheduler must run as root",
        "which database should we use for the sessions",
        "Can the feed use the same token as the webcam?",
    ),
    "musings": (
        "I think we should use a kind of teal for the header.",
        "maybe we could move the alarms to their own service",
        "If we use one key per guest, this could be a way to share the log without a server.",
        "It would be nice to have a dark theme at some point.",
        "I was thinking that the harbour view might need a legend.",
        "what if the horn is only tested on Mondays",
        "we could also drop the cache, perhaps",
        "I wanted to talk for a few minutes about the trade-off between one big table and many small ones.",
        "I guess the schedule should live in the database.",
        "Thinking out loud: the feed could be a separate process.",
        "one idea is to keep the tide table in memory",
    ),
    "tasks": (
        "We need to come up with a plan to test the ferry bookings end to end.",
        "We want to use the pattern from the other repository to update the workflow here.",
        "Let's add a blank line before and after the table.",
        "add a column for the price and make sure the tests pass",
        "Please make sure the docs are consistent.",
        "fix the login page, it must not show the spinner",
        "we should rename the helper to something better",
        "I need you to write a summary of the report that is readable for managers.",
        "Rather than a new module let's put the table code in list.py.",
        "then make sure this is in the changelog",
        "I want you to only look at the parser for now",
        "let's have the button on the left",
        "now implement the second option and use the existing client",
        "remove the Generate button in the harbour view, it is not needed",
        "we have to get this release out today",
        "the header should be a bit bigger",
        "can you check that the webhook is only called once",
    ),
    "fragments": (
        "and then the same for the other three",
        "NOTE: harbour vs. Harbour in the path (and maybe Quay vs. quay).",
        "for starters, this should be quieter",
        "only the second one, not the first",
        "in the morning, never mind",
        "better that way, rather than the other",
    ),
    "without antecedent": (
        "do it like that from now on",
        "this one should always be first",
        "it must not be like this",
        "they should never do that",
        "That's the only one we want to keep.",
        "please use this instead of that",
        "No, not like this, like before.",
    ),
    "narration": (
        "I ran the tests again and two of them always fail.",
        "it still doesn't work, the page is never loaded",
        "the build failed with exit code 1",
        "I see the error every time I click on save",
        "ok that worked, thanks",
        "I just pushed the branch, CI is running",
        "the guest list is already there, and I should be able to open it, but it is not clickable",
        "I don't see our fonts showing up at all when I start the kiosk",
        "we have the same block of hints two times please keep just one",
        "`height` is no longer right, I would think",
    ),
    "de": (
        "Sollten wir immer zuerst die Tabelle prüfen",
        "Vielleicht könnten wir die Alarme auslagern.",
        "Kannst du bitte die Überschrift ändern, sie muss größer sein",
        "Wie deployen wir normalerweise den Kiosk",
        "Ich glaube, wir sollten den Cache weglassen.",
        "mach das bitte genauso",
    ),
    "es": (
        "¿Deberíamos validar siempre la tabla?",
        "quizás podríamos mover las alarmas a otro servicio",
        "añade una columna para el precio",
        "cómo desplegamos normalmente el quiosco",
        "creo que deberíamos usar un verde más claro",
    ),
    "fr": (
        "est-ce qu'on doit toujours valider la table",
        "peut-être qu'on pourrait déplacer les alarmes",
        "ajoute une colonne pour le prix",
        "je pense qu'on devrait utiliser un vert plus clair",
        "comment on déploie normalement le kiosque",
    ),
    "pt": (
        "será que devemos sempre validar a tabela",
        "talvez pudéssemos mover os alarmes",
        "adicione uma coluna para o preço",
        "acho que deveríamos usar um verde mais claro",
    ),
    "zh": (
        "我们是不是应该总是先检查表格",
        "也许可以把警报移到另一个服务",
        "帮我添加一列价格",
        "为什么构建总是失败",
        "我觉得应该用浅一点的绿色",
    ),
    "ja": (
        "常に先にテーブルを確認すべきですか",
        "アラームを別のサービスに移してもいいかもしれません",
        "価格の列を追加してください",
        "なぜビルドがいつも失敗するのですか",
    ),
    "ko": (
        "항상 먼저 표를 확인해야 하나요",
        "알람을 다른 서비스로 옮기는 게 좋을 것 같아요",
        "가격 열을 추가해 주세요",
        "왜 빌드가 항상 실패하나요",
    ),
}

PASTED: dict[str, str] = {
    "log": (
        "it fails:\n"
        "\n"
        "2026-03-04 10:11:12 ERROR worker must not run as root\n"
        "2026-03-04 10:11:13 INFO always retrying in 5s\n"
        "2026-03-04 10:11:18 WARN lamp 7 never answered\n"
    ),
    "trace": (
        "Traceback (most recent call last):\n"
        "  File \"/srv/lamps/run.py\", line 12, in <module>\n"
        "    start()\n"
        "  File \"/srv/lamps/core.py\", line 40, in start\n"
        "    raise ValueError(\"port must always be set\")\n"
        "ValueError: port must always be set\n"
    ),
    "node trace": (
        "TypeError: schedule must never be null\n"
        "    at Lamp.load (/srv/lamps/lamp.js:12:9)\n"
        "    at Object.<anonymous> (/srv/lamps/index.js:3:1)\n"
        "    at Module._compile (node:internal/modules/cjs/loader:1105:14)\n"
    ),
    "diff": (
        "diff --git a/lamp.py b/lamp.py\n"
        "--- a/lamp.py\n"
        "+++ b/lamp.py\n"
        "@@ -1,3 +1,3 @@\n"
        "-# always use port 7400\n"
        "+# never use port 7400\n"
        " import os\n"
    ),
    "mail": (
        "From: Petra Quay <petra@harbour.example>\n"
        "To: lamps@harbour.example\n"
        "Subject: opening hours\n"
        "\n"
        "Hi all,\n"
        "\n"
        "please remember that the office must always be locked at night, and never leave the window open.\n"
        "\n"
        "Best regards,\n"
        "Petra\n"
    ),
    "settings": (
        "with:\n"
        "  repository: harbour/tap\n"
        "  path: tap\n"
        "  ssh-strict: true\n"
        "  persist-credentials: true\n"
        "  clean: true\n"
        "  fetch-depth: 1\n"
    ),
    "bare headings": (
        "Findings\n"
        "The first test always leaves the extension installed because Windows holds the file open.\n"
        "\n"
        "Later tests never see a clean profile.\n"
        "\n"
        "Expected behaviour\n"
        "Replacing an extension should tolerate locked files without sleeping.\n"
        "\n"
        "Tests that change settings must use isolated state.\n"
    ),
    "quoted": (
        "> You must always use tabs.\n"
        "> Never use spaces.\n"
    ),
    "code": (
        "```python\n"
        "# always close the file\n"
        "def close(handle):\n"
        "    \"\"\"Never call twice.\"\"\"\n"
        "    handle.close()\n"
        "```"
    ),
    "bare code": (
        "const lamp = require('lamp');\n"
        "if (lamp.port !== 7400) {\n"
        "  throw new Error('must always be 7400');\n"
        "}\n"
        "module.exports = lamp;\n"
    ),
    "review": (
        "Consider using a lock here, as the map should never be shared between threads.\n"
        "\n"
        "Nit: the name must be lower case.\n"
    ),
    "plan": (
        "# Plan\n"
        "\n"
        "## Goal\n"
        "The service must never stop.\n"
        "\n"
        "## Steps\n"
        "1. Always start with the parser\n"
        "2. Never skip the tests\n"
        "3. Add a cache\n"
        "4. Remove the old client\n"
        "5. Write the docs\n"
        "6. Measure\n"
        "\n"
        "## Risks\n"
        "The port must not change.\n"
    ),
}

KEPT_UNSEEN: dict[str, tuple[str, ...]] = {
    "en": (
        "Always squash before merging.",
        "please never reformat files you did not touch",
        "make sure you don't log customer names anywhere",
        "going forward all dates go in ISO format",
        "You should never call the payment API from a test.",
        "don't ever delete rows from the ledger table, mark them as void",
        "only senior staff may approve refunds over 500 euros",
        "I don't like nested ternaries.",
        "I prefer composition over inheritance in this project",
        "Our API gateway runs behind nginx on port 8443.",
        "The integration tests need Docker 24 or newer.",
        "Ines is responsible for the mobile app.",
        "the production database is called orchard_prod and lives on db-3",
        "the contract with the courier ends on 2027-03-31",
        "Logs are kept for 90 days because the auditors ask for them.",
        "we chose Kafka over RabbitMQ because we need replay",
        "We dropped the GraphQL layer, everything is REST now.",
        "no, that's not how we name branches, it's feature/<ticket>",
        "wrong: the currency is always stored in cents",
        "why are you always writing inline styles?",
        "How many times do I have to say that the schema is read-only?",
        "didn't I tell you to use the shared logger?",
        "we don't use ORMs here, write plain SQL",
        "use snake_case for column names, never camelCase",
        "the mobile team reviews every change to the sync protocol",
        "Remember that invoices are numbered per country.",
        "keep in mind that the warehouse closes at 16:00 on Fridays",
        "Our coding style: four spaces, no tabs.",
    ),
    "other": (
        "Verwende grundsätzlich UTC für alle Zeitstempel.",
        "Bitte keine Kommentare auf Deutsch im Code.",
        "Die Datenbank liegt auf dem Server birne-3.",
        "Wir haben uns für Kafka entschieden, weil wir Wiederholungen brauchen.",
        "Prefiero que los tests no usen mocks.",
        "La base de datos de producción está en el servidor pera-3.",
        "No uses nunca var en este proyecto.",
        "Je préfère des commits petits et fréquents.",
        "Il ne faut jamais modifier les fichiers générés.",
        "La base de production tourne sur le serveur poire-3.",
        "Prefiro funções pequenas.",
        "Não use mocks nos testes.",
        "所有时间戳都必须使用 UTC。",
        "我更喜欢简短的回答。",
        "不要修改自动生成的文件。",
        "タイムスタンプは常にUTCを使ってください。",
        "短い回答の方が好きです。",
        "모든 타임스탬프는 반드시 UTC를 사용하세요.",
        "짧은 답변을 선호합니다.",
        "자동 생성된 파일은 수정하지 마세요.",
    ),
}

LET_GO_UNSEEN: dict[str, tuple[str, ...]] = {
    "en": (
        "who owns the invoice service these days",
        "does the courier always send a receipt",
        "could it be that the parser never sees the header",
        "so what must I set to get the preview running",
        "Where do we keep the secrets for staging?",
        "I'm wondering if we should drop the cart table.",
        "would it make sense to always preload the catalogue",
        "we might want to use a queue for this",
        "perhaps the badge should be orange, not red",
        "it could be interesting to only load the first page",
        "I had an idea: the cart could live in the browser",
        "I feel like the sidebar needs more air.",
        "We should probably write a migration for that.",
        "let's write the release notes next",
        "need to update the readme so it mentions the new flag",
        "please make the button green",
        "I want to see the list sorted by date",
        "go through the open issues and close those that are not needed",
        "we need a script that converts the old orders",
        "Change the title so that it has the product name in it.",
        "ok now do the same for the order page",
        "use the second approach",
        "that should be enough for today",
        "those are not the right ones",
        "same here, it should be hidden",
        "I have no idea why it never returns",
        "I tried it twice and the page is always blank",
        "tests pass now, commit it",
        "great, that's exactly what I wanted",
        "the second screenshot shows the page that must be fixed",
    ),
    "other": (
        "Warum ist der Build immer rot",
        "Ich denke, wir könnten die Tabelle später teilen.",
        "Baue bitte einen Knopf ein, der die Liste neu lädt",
        "por qué el build siempre falla",
        "tal vez deberíamos dividir la tabla",
        "arregla el botón, debe ser verde",
        "pourquoi le build échoue toujours",
        "on pourrait peut-être diviser la table",
        "corrige le bouton, il doit être vert",
        "por que o build sempre falha",
        "corrija o botão, ele deve ser verde",
        "构建为什么总是红的",
        "请修复按钮，必须是绿色",
        "ビルドはなぜいつも赤いの",
        "ボタンを緑にしてください",
        "빌드는 왜 항상 빨간색이죠",
        "버튼을 초록색으로 바꿔 주세요",
    ),
}

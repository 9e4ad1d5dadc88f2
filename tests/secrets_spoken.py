"""Secrets as people say them, in many words and languages: (a text, a piece of its secret). All of them are made up."""

from __future__ import annotations

PLACES = (
    "test server", "guest wifi", "latest build host", "best-effort queue", "rest API", "staging database", "westwing router",
    "estate NAS", "nest thermostat", "request broker", "office printer", "Jenkins", "backup disk", "harvest job", "admin panel",
    "isolated network", "wiki", "registry", "list server", "island office", "Christmas shop", "disk in the basement",
    "ci runner", "VPN", "crest monitor", "Prometheus", "forest cluster", "Grafana", "mail relay at the east gate",
    "Tuesday backup", "tower", "vault door", "torrent box", "stereo", "Toaster 2", "tomcat", "was-broken host", "areal camera",
    "warehouse scanner", "equals sign lamp", "Lautetal site", "espresso machine", "estimate tool", "is-ready probe",
    "e-mail archive", "eagle", "db-primary.internal",
)
"""What a password may be for; in most of them stands a word that joins a name and a value elsewhere."""

VALUES = ("Velvet-Crab-3107", "heronreed", "Plover#331", "tide quartz lamp", "kX9vQ2mL", "Moss.Kiln.55")

SENTENCES = {
    "for": "The password for the {place} is {value}",
    "of": "the password of the {place} is {value}.",
    "place first": "The {place} password is {value}",
    "colon": "Password for the {place}: {value}",
    "dash": "{place} password - {value}",
    "long dash": "{place} password — {value}",
    "arrow": "password for {place} -> {value}",
    "with": "To get into the {place} log in with the password {value}.",
    "used for": "The password we use for the {place} is {value}, do not share it.",
    "german": "Das Passwort für den {place} ist {value}.",
    "french": "Le mot de passe du {place} est {value}.",
}


def spoken_forms() -> dict[str, tuple[str, str]]:
    """Every place once in the plain sentence with a plain word and with a made-up one, and in one more form."""
    found = {}
    others = [name for name in SENTENCES if name != "for"]
    for n, place in enumerate(PLACES):
        for value in (VALUES[n % len(VALUES)], "bumblebee"):
            found[f"{place} {value}"] = (SENTENCES["for"].format(place=place, value=value), value)
        name = others[n % len(others)]
        value = VALUES[(n + 1) % len(VALUES)]
        found[f"{place} {name}"] = (SENTENCES[name].format(place=place, value=value), value)
    return found


SAID = {
    "command with a capital": ("Mysql -u root -pW1nterz4uber shop", "W1nterz4uber"),
    "capital for redis": ("Redis-cli -h cache -a tr0ckenes-Moos ping", "tr0ckenes"),
    "capital for curl": ("Curl -u admin:kaltesWasser!9 https://ci.example/api", "kaltesWasser"),
    "net use with its share": ("net use Z: \\\\srv\\share nachtfalter.3 /user:svc", "nachtfalter"),
    "pass of a thing changed": ("the pass for the staging database was changed to Mimika10!", "Mimika10"),
    "credentials and": ("the credentials for Anna's laptop are admin and Miwextre59-x", "Miwextre59"),
    "made-up access code": ("the access code of the printer is Loshavun87", "Loshavun87"),
    "begins like a hash": ("use Shamilo72-x as the passphrase for gitea", "Shamilo72"),
    "accepted as": ("the build box accepts Kamoge2092!x as the passphrase", "Kamoge2092"),
    "wanted as": ("the lab door wants Zetiza107% as the password", "Zetiza107"),
    "typed when asked": ("type Pabolo599 when the CRM asks for the password", "Pabolo599"),
    "used to be": ("my password at the archive used to be Bofata255", "Bofata255"),
    "paired behind a colon": ("creds for the CRM: svc / Mumuve421", "Mumuve421"),
    "spanish a": ("la clave de acceso a la red es Tivodi526%", "Tivodi526"),
    "unlock with": ("The backup disk is encrypted, unlock it with heron-Reed-99.", "heron-Reed-99"),
    "unlock with words": ("unlock the laptop with 'purple penguin dances'", "purple penguin"),
    "log in as with": ("Log in as admin with Plover331 on the printer.", "Plover331"),
    "sign in with": ("Sign in to the portal with ann@example.org / Kestrel77x", "Kestrel77x"),
    "not but": ("The password isn't swordfish but mackerel.", "mackerel"),
    "not but german": ("Das Passwort ist nicht Hering, sondern Makrele.", "Makrele"),
    "not it is": ("the password is not gull22, it's tern33", "tern33"),
    "no longer": ("the root password is no longer Gull22x, it is Tern33y now", "Tern33y"),
    "changed from to": ("We changed the wifi password from Blue77 to Green88.", "Green88"),
    "changed from": ("We changed the wifi password from Blue77 to Green88.", "Blue77"),
    "used as": ("Use Otter-Lamp-7 as the password for the NAS.", "Otter-Lamp-7"),
    "is the password": ("Otter-Lamp-8 is the password for the NAS.", "Otter-Lamp-8"),
    "set": ("I set the admin password to marmalade", "marmalade"),
    "pw": ("root pw: marmalade7", "marmalade7"),
    "pwd": ("pwd for the router = tulip", "tulip"),
    "passcode": ("The passcode to the server room is 88 21 40.", "88 21 40"),
    "door": ("the code for the front door is 4711#", "4711#"),
    "alarm": ("To disarm the alarm type 5590.", "5590"),
    "safe": ("The combination of the safe is 12-34-56.", "12-34-56"),
    "pin of": ("My PIN for the badge reader is 9043.", "9043"),
    "pin short": ("badge reader PIN: 9043", "9043"),
    "passphrase": ("passphrase of the signing key: correct-horse-battery", "correct-horse-battery"),
    "passphrase quoted": ('The GPG passphrase is "seven grey geese over Harlem".', "grey geese"),
    "secret answer": ("The answer to the security question is Mistletoe.", "Mistletoe"),
    "token said": ("The token for the map tiles is q9Zk2LmX7vBt4RnP", "q9Zk2LmX7vBt"),
    "key said": ("our weather API key is 3f9a1c7e5b2d8046", "3f9a1c7e5b2d"),
    "totp seed": ("The TOTP seed for the console is JBSWY3DPEHPK3PXP.", "JBSWY3DPEHPK3PXP"),
    "2fa grouped": ("2FA secret: JBSW Y3DP EHPK 3PXQ", "EHPK 3PXQ"),
    "creds": ("staging creds: deploy / Gannet-71", "Gannet-71"),
    "creds colon": ("the credentials are deploy:Gannet-72", "Gannet-72"),
    "user and password": ("user bob with password marmalade8", "marmalade8"),
    "username password": ("username: bob, password: sunflower", "sunflower"),
    "german login": ("Anmeldung mit admin / Amsel-44x", "Amsel-44x"),
    "german unlock": ("Entsperr die Platte mit Amsel-45x.", "Amsel-45x"),
    "german short": ("Passwort Testserver: Drossel", "Drossel"),
    "german kennwort": ("Das Kennwort vom Testserver heißt Drossel", "Drossel"),
    "german code": ("Der Türcode lautet 4711.", "4711"),
    "german access": ("Zugangsdaten: admin / Drossel-9", "Drossel-9"),
    "french said": ("Le mot de passe du serveur de test est pamplemousse.", "pamplemousse"),
    "french colon": ("Mot de passe : pamplemousse", "pamplemousse"),
    "french wifi": ("Le code wifi c'est Pamplemousse42", "Pamplemousse42"),
    "french key": ("La clé API du service météo est q9Zk2LmX7vBt4RnQ", "q9Zk2LmX7vBt"),
    "french door": ("Le code de la porte est 4711B.", "4711B"),
    "french mdp": ("mdp admin : Pample-42", "Pample-42"),
    "spanish said": ("La contraseña del servidor de pruebas es berenjena.", "berenjena"),
    "spanish clave": ("La clave del wifi es Berenjena42", "Berenjena42"),
    "portuguese said": ("A senha do servidor de teste é berinjela.", "berinjela"),
    "portuguese palavra": ("A palavra-passe do router é Berinjela42", "Berinjela42"),
    "italian said": ("La password del server di test è melanzana.", "melanzana"),
    "dutch said": ("Het wachtwoord van de testserver is aubergine.", "aubergine"),
    "swedish said": ("Lösenordet till testservern är blåbär.", "blåbär"),
    "norwegian said": ("Passordet til testserveren er blåbær7", "blåbær7"),
    "danish said": ("Adgangskoden til testserveren er blåbær8", "blåbær8"),
    "finnish said": ("Testipalvelimen salasana on mustikka9", "mustikka9"),
    "czech said": ("Heslo k testovacímu serveru je borůvka.", "borůvka"),
    "polish said": ("Hasło do serwera testowego to borówka.", "borówka"),
    "hungarian said": ("A tesztszerver jelszava: áfonya42", "áfonya42"),
    "romanian said": ("Parola serverului de test este afina42", "afina42"),
    "turkish said": ("Test sunucusunun şifresi: yabanmersini", "yabanmersini"),
    "russian said": ("Пароль от тестового сервера — черника42", "черника42"),
    "russian plain": ("Пароль от тестового сервера: черника", "черника"),
    "ukrainian said": ("Пароль до сервера: чорниця42", "чорниця42"),
    "greek said": ("Ο κωδικός του διακομιστή είναι myrtilo42", "myrtilo42"),
    "chinese said": ("测试服务器的密码是 blueberry42", "blueberry42"),
    "chinese no space": ("测试服务器的密码是lanmei42。", "lanmei42"),
    "chinese for": ("登录密码为：Lanmei-42", "Lanmei-42"),
    "chinese word": ("数据库口令是蓝莓海豹，不要外传", "蓝莓海豹"),
    "chinese key": ("接口密钥：q9Zk2LmX7vBt4RnS", "q9Zk2LmX7vBt"),
    "chinese code": ("门禁码是4711", "4711"),
    "chinese plain": ("wifi密码 blueberry42", "blueberry42"),
    "japanese said": ("テストサーバーのパスワードは blueberry42 です", "blueberry42"),
    "japanese colon": ("パスワード：ブルーベリー42", "ブルーベリー42"),
    "korean said": ("테스트 서버 비밀번호는 blueberry42 입니다", "blueberry42"),
    "vietnamese said": ("Mật khẩu của máy chủ là vietquat42", "vietquat42"),
    "indonesian said": ("Kata sandi server uji adalah bluberi42", "bluberi42"),
    "arabic said": ("كلمة المرور للخادم هي blueberry42", "blueberry42"),
    "hebrew said": ("הסיסמה של השרת היא blueberry42", "blueberry42"),
    "hindi said": ("सर्वर का पासवर्ड blueberry42 है", "blueberry42"),
    "markdown bold": ("**Password:** marmalade9", "marmalade9"),
    "markdown row": ("| password | marmalade |", "marmalade"),
    "in backticks": ("the db password is `tide lamp`", "tide lamp"),
    "two lines": ("Password for the test server:\nmarmalade10", "marmalade10"),
    "spelt": ("The password is m-a-r-m-a-l-a-d-e.", "m-a-r-m-a-l-a-d-e"),
    "iban": ("Pay the rent from DE89 3704 0044 0532 0130 00.", "0532 0130"),
    "iban tight": ("our account is GB82WEST12345698765432", "WEST1234569876"),
    "card alone": ("it was charged to 5500 0055 5555 5559", "0055 5555"),
    "card tight": ("4242424242424242 exp 12/29 cvc 123", "4242424242424242"),
    "social security": ("Her social security number is 078-05-1120.", "078-05-1120"),
    "let me in": ("You get into the NAS with 'Velvet-Crab-31'.", "Velvet-Crab-31"),
    "opens": ("Velvet-Crab-32 opens the key store", "Velvet-Crab-32"),
    "still": ("The password for the test server is still bumblebee, by the way.", "bumblebee"),
    "now": ("From now on the password for the guest network is bumblebee", "bumblebee"),
    "will be": ("Starting Monday the password will be bumblebee.", "bumblebee"),
    "remember that": ("Remember that the password for the test server is bumblebee, not butterfly.", "bumblebee"),
    "and the other": ("The user is admin and the password bumblebee7.", "bumblebee7"),
    "possessive": ("the test server's password is bumblebee", "bumblebee"),
    "that opens": ("The password that opens the test server is bumblebee", "bumblebee"),
    "two of them": ("The password for staging is heronreed and for production it is kingfisher88.", "kingfisher88"),
}


def all_said() -> dict[str, tuple[str, str]]:
    """Everything that is spoken, by a name."""
    return {**SAID, **spoken_forms()}

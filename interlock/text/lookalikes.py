"""Characters that look like a Latin letter or a digit, by what they look like; nothing else is in it.

The single characters that Unicode's confusables (UTS 39) give for ASCII letters and digits, without those
that compatibility decomposition folds already and without vertical bars; letters with a stroke, a hook or the like
under the bare letter; and what UTS 39 keeps apart: small capitals, with the small letters of that form (Cherokee,
Coptic, Cyrillic, Greek), and letters of these scripts and of the Armenian that are written for Latin ones.
Data derived from confusables.txt, copyright Unicode, Inc., under the Unicode License v3 (SPDX: Unicode-3.0).
"""

from collections.abc import Mapping

LOOKALIKES: Mapping[str, str] = {
    "2": "\u01a7\u03e8\u03e9\u14bf\ua644\ua6ef\ua75a",
    "3": "\u01b7\u021c\u021d\u025c\u0292\u0417\u0437\u04e0\u2ccc\u2ccd\ua76a\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "\u13ce\uab9e\U000118af",
    "5": "\u01bc\U000118bb",
    "6": "\u0431\u13ee\u2cd2\u2cd3\uabbe\U000118d5",
    "7": "\U000104d2\U000118c6\U0001d212",
    "8": "\u0222\u0223\u09ea\u0a6a\u0b03\U0001031a\U0001e8cb",
    "9": "\u09ed\u0a67\u0b68\u0d6d\u2cca\u2ccb\ua76e\U000118ac\U000118cc\U000118d6",
    "A": "\u023a\u0391\u0410\u13aa\u15c5\u2c80\ua4ee\U000102a0\U00016f40",
    "B": "\u0181\u0243\u0392\u0412\u13f4\u15f7\u2c82\ua4d0\ua796\ua7b4\U00010282\U000102a1\U00010301",
    "C": (
        "\u0187\u023b\u03f9\u0421\u04aa\u13df\u2ca4\ua4da\ua792\ua7c4\U000102a2\U00010302\U00010415\U0001051c"
        "\U000118e9\U000118f2\U0001f74c"
    ),
    "D": "\u00d0\u0110\u0189\u018a\u018b\u0500\u13a0\u15de\u15ea\ua4d3\ua779\ua7c7",
    "E": "\u0190\u0246\u0395\u0404\u0415\u04bc\u04be\u0510\u13ac\u22ff\u2c88\u2d39\ua4f0\U00010286\U000118a6\U000118ae",
    "F": "\u0191\u03dc\u0492\u15b4\ua4dd\ua77b\ua798\U00010287\U000102a5\U00010525\U000118a2\U000118c2\U0001d213",
    "G": "\u0193\u01e4\u050c\u13c0\u13f3\ua4d6\ua77d\ua7a0\ua7ac",
    "H": "\u0126\u0397\u041d\u04a2\u04ba\u04c7\u04c9\u13bb\u157c\u2c67\u2c8e\ua4e7\ua7aa\U000102cf",
    "J": "\u0248\u037f\u0408\u13ab\u148d\ua4d9\ua7b2",
    "K": (
        "\u0198\u039a\u041a\u049a\u049c\u049e\u04a0\u04c3\u051e\u13e6\u16d5\u2c69\u2c94\ua4d7\ua740\ua742\ua744\ua7a2"
        "\U00010518"
    ),
    "L": (
        "\u0141\u023d\u053c\u13de\u14aa\u2c60\u2c62\u2cd0\ua4e1\ua748\ua7ad\U0001041b\U00010526\U000118a3\U000118b2"
        "\U00016f16\U0001d22a"
    ),
    "M": "\u039c\u03fa\u041c\u04cd\u13b7\u15f0\u16d6\u2c6e\u2c98\ua4df\U000102b0\U00010311",
    "N": "\u019d\u0220\u039d\u2c9a\ua4e0\ua790\ua7a4\U00010513",
    "O": (
        "\u00d8\u019f\u01fe\u0398\u039f\u03b8\u041e\u0472\u04e8\u0555\u07c0\u09e6\u0b20\u0b66\u12d0\u13be\u13eb\u2c9e"
        "\u2d31\u2d41\u2d54\u3007\ua4f3\ua74a\ua74c\U00010292\U000102ab\U00010404\U000104c2\U00010516\U000114d0"
        "\U000118b5\U000118e0"
    ),
    "P": "\u01a4\u03a1\u0420\u048e\u13e2\u146d\u2c63\u2ca2\ua4d1\ua750\ua752\ua754\U00010295",
    "Q": "\u051a\u2d55\ua756\ua758",
    "R": "\u01a6\u024c\u13a1\u13d2\u1587\u2c64\ua4e3\ua782\ua7a6\U000104b4\U00016f35\U0001d216",
    "S": "\u0405\u054f\u13d5\u13da\u2c7e\ua4e2\ua7a8\ua7c5\ua7c9\U00010296\U00010420\U00016f3a",
    "T": (
        "\u0166\u01ac\u01ae\u023e\u03a4\u0422\u04ac\u13a2\u22a4\u27d9\u2ca6\ua4d4\ua786\U00010297\U000102b1\U00010315"
        "\U000118bc\U00016f0a\U0001f768"
    ),
    "U": "\u0244\u054d\u1200\u13cc\u144c\u222a\u22c3\ua4f4\ua7b8\U000104ce\U000118b8\U00016f42",
    "V": "\u01b2\u0474\u0667\u06f7\u13d9\u142f\u1efc\u2d38\ua4e6\ua6df\ua75e\U0001051d\U000118a0\U00016f08\U0001d20d",
    "W": "\u051c\u13b3\u13d4\u2c72\ua4ea\ua7c2\U000118e6\U000118ef",
    "X": (
        "\u03a7\u0425\u04b2\u04fc\u04fe\u166d\u16b7\u2573\u2cac\u2d5d\ua4eb\ua7b3\U00010290\U000102b4\U00010317"
        "\U00010322\U00010527\U000118ec"
    ),
    "Y": "\u01b3\u024e\u03a5\u0423\u04ae\u04b0\u13a9\u13bd\u1efe\u2ca8\ua4ec\U000102b2\U000118a4\U00016f43",
    "Z": "\u01b5\u0224\u0396\u13c3\u2c6b\u2c7f\u2c8c\ua4dc\ua7c6\U000102f5\U000118a9\U000118e5",
    "a": "\u0251\u03b1\u0430\u1d00\u1d8f\u237a\u2c65\u2c81\uab7a",
    "b": (
        "\u0180\u0182\u0183\u0184\u0253\u0299\u03b2\u0411\u042c\u0432\u044c\u0462\u0463\u048c\u048d\u13cf\u13fc\u1472"
        "\u1473\u15af\u1d03\u1d6c\u1d80\u2c83\ua797\uab9f"
    ),
    "c": "\u0188\u023c\u0255\u03f2\u0441\u04ab\u1d04\u2ca5\ua793\ua794\uabaf\U0001043d\U0001df1d",
    "d": (
        "\u00f0\u0111\u018c\u0221\u0256\u0257\u0501\u13e7\u146f\u1d05\u1d06\u1d6d\u1d81\u1d91\ua4d2\ua77a\ua7c8\uab70"
        "\uabb7"
    ),
    "e": "\u0247\u025b\u03b5\u03f5\u0435\u0454\u04bd\u04bf\u0511\u1d07\u1d92\u212e\u2c78\u2c89\uab32\uab33\uab34\uab7c",
    "f": "\u0192\u0493\u0584\u1d6e\u1d82\u1e9d\ua730\ua77c\ua799\uab35",
    "g": "\u018d\u01e5\u0260\u0261\u0262\u029b\u050d\u0581\u13fb\u1d79\u1d83\ua7a1\uab36\uab90",
    "h": (
        "\u0127\u0266\u029c\u043d\u045b\u04a3\u04bb\u04c8\u04ca\u0570\u13c2\u13f2\u13fa\u2c68\u2c8f\ua695\ua795\uab8b"
        "\uab92"
    ),
    "i": (
        "\u0131\u0268\u0269\u026a\u03b9\u0456\u04cf\u13a5\u1d7b\u1d7c\u1d96\u2373\ua647\ua7ae\uab75\U000118c3\U0001df1a"
    ),
    "j": "\u0237\u0249\u025f\u0284\u029d\u03f3\u0458\u0575\u1d0a\uab7b",
    "k": (
        "\u0138\u0199\u03ba\u043a\u049b\u049d\u049f\u04a1\u04c4\u051f\u1d0b\u1d84\u2c6a\u2c95\ua741\ua743\ua745\ua7a3"
        "\uabb6"
    ),
    "l": (
        "\u0142\u0196\u0197\u019a\u0234\u026b\u026c\u026d\u029f\u0399\u0406\u04c0\u05d5\u05df\u0627\u0661\u06f1\u16c1"
        "\u1d0c\u1d85\u2c61\u2c92\u2c93\u2cd1\u2d4f\ua4f2\ua749\ua78e\uab37\uab38\uab39\uabae\U0001028a\U00010309"
        "\U00010320\U00010443\U00016f28\U0001df04\U0001df11\U0001df13\U0001e8c7"
    ),
    "m": "\u0271\u028d\u043c\u04ce\u1d0d\u1d6f\u1d86\u2c99\uab3a\uab87",
    "n": "\u019e\u0235\u0272\u0273\u0274\u03b7\u03c0\u043f\u0548\u054c\u0578\u057c\u1d70\u1d87\u2c9b\ua791\ua7a5\uab3b",
    "o": (
        "\u00f8\u0275\u03bf\u03c3\u043e\u0473\u04e9\u0585\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u0966\u0a66\u0ae6"
        "\u0be6\u0c02\u0c66\u0c82\u0ce6\u0d02\u0d20\u0d66\u0d82\u0e50\u0ed0\u101d\u1040\u10ff\u1d0f\u1d11\u2c7a\u2c9f"
        "\ua74b\ua74d\uab3d\uab3e\uab74\uab8e\uabbb\U0001042c\U000104ea\U000118c8\U000118d7\U0001df1b"
    ),
    "p": "\u01a5\u03c1\u0440\u048f\u1d18\u1d29\u1d71\u1d7d\u1d88\u2374\u2ca3\ua751\ua753\ua755\uabb2",
    "q": "\u024b\u02a0\u051b\u0563\u0566\ua757\ua759\ua7af",
    "r": (
        "\u024d\u027c\u027d\u027e\u0280\u0433\u1d26\u1d72\u1d73\u1d89\u2c85\ua783\ua7a7\uab45\uab46\uab47\uab48\uab49"
        "\uab4b\uab4c\uab71\uab81\uaba2\U0001df16"
    ),
    "s": "\u01bd\u023f\u0282\u0455\u1d74\u1d8a\ua731\ua7a9\ua7ca\uaba5\uabaa\U00010448\U000118c1\U0001df1e",
    "t": "\u0167\u01ab\u01ad\u0236\u0288\u03c4\u0442\u04ad\u1d1b\u1d75\u2c66\u2ca7\ua787\uab72\U0001df09",
    "u": "\u0289\u028b\u03c5\u057d\u1d1c\u1d7e\u1d99\ua79f\ua7b9\uab4e\uab52\uab9c\U000104f6\U000118d8",
    "v": "\u03bd\u0475\u05d8\u1d20\u1efd\u2228\u22c1\u2c71\u2c74\ua75f\uaba9\U00011706\U000118c0",
    "w": (
        "\u026f\u03c9\u0461\u047d\u051d\u0561\u1d21\u2c73\ua761\ua7c3\uab83\uaba4\U000114c5\U0001170a\U0001170e"
        "\U0001170f"
    ),
    "x": "\u00d7\u03c7\u0445\u04b3\u04fd\u04ff\u1541\u157d\u166e\u1d8d\u292b\u292c\u2a2f\u2cad\uab56\uab57\uab58\uab59",
    "y": "\u01b4\u024f\u0263\u028f\u03b3\u0443\u04af\u04b1\u10e7\u1d8c\u1eff\u2ca9\uab5a\uab79\uab8d\U000118dc",
    "z": "\u01b6\u0225\u0240\u0290\u0291\u03b6\u1d22\u1d76\u1d8e\u2c6c\u2c8d\uab93\U000118c4",
}
"""What it looks like, to the characters that look so."""

import { ed25519 } from '@noble/curves/ed25519.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ed25519NodeAt, ed25519PublicKey } from '../../../src/wallet/ed25519-node.ts';

/** ed25519 vectors of https://github.com/satoshilabs/slips/blob/master/slip-0010.md. */
const SEED_1 = '000102030405060708090a0b0c0d0e0f';
const SEED_2 =
  'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542';

const VECTORS: readonly (readonly [seed: string, path: string, privateKey: string, publicKey: string])[] = [
  [SEED_1, 'm', '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7', 'a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed'],
  [SEED_1, "m/0'", '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3', '8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c'],
  [SEED_1, "m/0'/1'", 'b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2', '1932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187'],
  [SEED_1, "m/0'/1'/2'", '92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9', 'ae98736566d30ed0e9d2f4486a64bc95740d89c7db33f52121f8ea8f76ff0fc1'],
  [SEED_1, "m/0'/1'/2'/2'", '30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662', '8abae2d66361c879b900d204ad2cc4984fa2aa344dd7ddc46007329ac76c429c'],
  [SEED_1, "m/0'/1'/2'/2'/1000000000'", '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793', '3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a'],
  [SEED_2, 'm', '171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012', '8fe9693f8fa62a4305a140b9764c5ee01e455963744fe18204b4fb948249308a'],
  [SEED_2, "m/0'", '1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635', '86fab68dcb57aa196c77c5f264f215a112c22a912c10d123b0d03c3c28ef1037'],
  [SEED_2, "m/0'/2147483647'", 'ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4', '5ba3b9ac6e90e83effcd25ac4e58a1365a9e35a3d3ae5eb07b9e4d90bcf7506d'],
  [SEED_2, "m/0'/2147483647'/1'", '3757c7577170179c7868353ada796c839135b3d30554bbb74a4b1e4a5a58505c', '2e66aa57069c86cc18249aecf5cb5a9cebbfd6fadeab056254763874a9352b45'],
  [SEED_2, "m/0'/2147483647'/1'/2147483646'", '5837736c89570de861ebc173b1086da4f505d4adb387c6a1b1342d5e4ac9ec72', 'e33c0f7d81d843c572275f287498e8d408654fdf0d1e065b84e2e6f157aab09b'],
  [SEED_2, "m/0'/2147483647'/1'/2147483646'/2'", '551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d', '47150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0'],
];

/** At the paths of Solana, of seeds as long as the wallet's: made by micro-key-producer 0.8.6. */
const SOLANA_VECTORS: typeof VECTORS = [
  ['fb1a554805b4c86a0cbf055b77160c1315cd8b178e215d91aad531f81ee845c38fe563c3d9fb7b9d3db3faf97d07658c0c15b82ec78fa67c0239328fb4fb3368', "m/44'/501'/0'/0'", '3b74b3dcfdc524d873478a74fc4265987fa32332e71ebe78659e26e9634255c7', '89910c256bafb6b4b2763f8a30fe933234c1ceb737bcf260612b317530ab274b'],
  ['c09f35e724dd8324ec1c887a02ca52189fa0ebc37e50de759d016b29b5c117d4dd5ec559733d73163e00822826706222d94b24563fe9277616097411d38aee7d', "m/44'/501'/0'/1'", 'b9799aea101ca3eb62b13f8e66525615636c266b325f075d56044d3e45448f8c', '3ba0587ce77e5061a26488e94de718034cf1c337af4d934809e8a4557c360bad'],
  ['13c31ea6bb10dc4dba6b22c4c66b3f551ebd7df20c96a3e8e536f44a05174ac8630c58bb8fa65243cf8514412946f8538bfd877673baf1e43602a82479c697e6', "m/44'/501'/1'/0'", '4118b14591d608108792037fafc0a99b4d3d2d2ba0209a91047df5516cc2ea7a', '4ceaea44eed3bc2533e7c088148b39ed5a8c10076f6603cf02caf03e3175a5be'],
  ['2fdf24cfed7081a864ddafa4455628328ca1c6361fdaf0b0d9a174ff04af87ce631228aa5c6fd2f16907922a8549bfbbe7a8c78f13fef30d5270271383dbf0f9', "m/44'/501'/7'/2147483647'", 'e66fd4712fe25961ed00b0c8e3be776f2be97df87410fc13d295d0604c50ca78', '9e5b24da8dad512c9067652766860180c0d35b47bc8926e6b9d997124fbe9150'],
  ['9a4e4066540d6f7553f754e7499c3e0992f13989d7117933c07e02c4a35461de7a3e9dc28e372dc3235654a9dbfeeb243f4382e26a44605dfa7502f1dad24a8f', "m/44'/501'/2147483647'/12345'", '80f80c30f8da13fa5256d75cb1958d96a714110e3dbb755cd0540082a3c8f162', '0ee59fe24504393c7cf188c1832aab2c94835e94f573032a150b9eff8182be84'],
  ['7f93ad21d3101d2bc4d9ad304e9be3388ac4ea010bfcaf15ebcc7c9ad5350eee111759cbacf67bf43ffd0e0142bbb26ebca3c4d446e9aaaf7a47718522273df2', "m/44'/1'/0'/0'", '8c1d73f019b7b4f9fe3d4b6b0094bdbb27c30ab677066afe988f89f52eda76fc', '22f7053fdd2ecdef0b918c26284ab70d50ffc51923c1f84ad7245d3c62adec63'],
  ['4381120af35de980f3dc961ffc9cb09fd6da4a28d8a6b096899b733b095ff409f49249a60836555a7fb603a7f52ec5ceb9373eaf1e98fa8717483639d0afa668', "m/44'/1'/31'/4096'", '02644faf39500222acd540ccbb388a0b2fe2b1877e1e85ef34f1385645fa6e3e', '6b0e2f6b8f7c54830e06a512d94f61c9b7bf994c3911b1456af9468fa24f6577'],
  ['82d7f574af22476651e9c3cf8e1139c6edf659679620ed7069b178e963df5d6566e9e1ad021fd6516cfaf1a32da1308d21e8237b360668a9165c093b135aba84', "m/44'/501'/100000'/99'", '43d080d59c83067f249c465a88d2e8530658ccdc36ddbd53b741bd0e0128e739', '5dd920a6c33a10bc8a76be3a5be2ad61ae91dc23f5e673041d8a07fb5c5a4ef0'],
];

test.each([...VECTORS, ...SOLANA_VECTORS])('ed25519NodeAt matches the SLIP-0010 vector with seed %s at %s', (seed, path, privateKey, publicKey) => {
  const indexes = path.split('/').slice(1).map((index) => Number.parseInt(index, 10));
  const node = ed25519NodeAt(Buffer.from(seed, 'hex'), indexes);
  expect(node.privateKey.toString('hex')).toBe(privateKey);
  expect(ed25519PublicKey(node.privateKey).toString('hex')).toBe(publicKey);
});

test('ed25519PublicKey equals that of another implementation for any seed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
      expect(ed25519PublicKey(Buffer.from(seed)).toString('hex')).toBe(
        Buffer.from(ed25519.getPublicKey(seed)).toString('hex'),
      );
    }),
  );
});

// SPDX-License-Identifier: GPL-2.0-or-later
program shapes;
{$mode objfpc}
type
  TKind = (kPoint, kCircle, kBox);
  TShape = packed record
    Id: LongInt;
    case Kind: TKind of
      kCircle: (Radius: Double);
      kBox: (Width, Height: LongInt; Depth: Double);
  end;
  PNode = ^TNode;
  TNode = record
    Next: PNode;
    Key: Int64;
    Name: string[15];
  end;
  TAccount = class
    FTotal: Int64;
    FCount: LongInt;
    procedure Add(Amount: Int64);
  end;
procedure TAccount.Add(Amount: Int64);
begin
  FTotal := FTotal + Amount;
  FCount := FCount + 1;
end;
var
  S: array[1..2000] of TShape;
  A: TAccount;
  First, N: PNode;
  I, R: LongInt;
  Sum: Int64;
function Walk(P: PNode): Int64;
var T: Int64;
begin
  T := 0;
  while P <> nil do begin T := T + P^.Key; P := P^.Next; end;
  Walk := T;
end;
procedure Grow;
var I: LongInt;
begin
  for I := 1 to 2000 do
    case S[I].Kind of
      kCircle: S[I].Radius := S[I].Radius * 1.001;
      kBox: begin S[I].Width := S[I].Width + 1; S[I].Depth := S[I].Depth + 1; end;
      kPoint: S[I].Id := S[I].Id + 1;
    end;
end;
begin
  A := TAccount.Create;
  First := nil;
  for I := 1 to 2000 do begin
    New(N); N^.Next := First; N^.Key := I; N^.Name := 'abc'; First := N;
    S[I].Kind := TKind(I mod 3); S[I].Radius := 1;
  end;
  Sum := 0;
  for R := 1 to 12000 do begin
    Grow; Sum := Sum + Walk(First); A.Add(R);
  end;
  WriteLn(Sum, ' ', A.FTotal);
end.
